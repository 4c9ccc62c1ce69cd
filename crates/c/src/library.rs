//! The functions that the model knows: one table. What they do stands in `run/routines.rs`.

/// A function that the model knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Routine {
    // Threads.
    Create,
    Join,
    Detach,
    EndThread,
    Current,
    SameThread,
    // C11 threads: other arguments, other results.
    CreateC11,
    JoinC11,
    EndThreadC11,
    // Mutexes. `TimedLock` may time out.
    MutexInit,
    MutexInitC11,
    MutexDestroy,
    Lock,
    TryLock,
    TryLockC11,
    TimedLock,
    TimedLockC11,
    Unlock,
    SetMutexType,
    SetDetached,
    SpinInit,
    // Condition variables.
    ConditionInit,
    ConditionDestroy,
    Wait,
    TimedWait,
    TimedWaitC11,
    Signal,
    Broadcast,
    // Read-write locks.
    RwInit,
    RwDestroy,
    ReadLock,
    WriteLock,
    TryReadLock,
    TryWriteLock,
    TimedReadLock,
    TimedWriteLock,
    RwUnlock,
    // Barriers, semaphores, once.
    BarrierInit,
    BarrierWait,
    BarrierDestroy,
    SemaphoreInit,
    SemaphoreWait,
    SemaphoreTryWait,
    SemaphoreTimedWait,
    SemaphorePost,
    SemaphoreValue,
    SemaphoreDestroy,
    Once,
    // Values by thread.
    KeyCreate,
    KeyDelete,
    KeySet,
    KeyGet,
    // Memory.
    Malloc,
    Calloc,
    Realloc,
    AlignedAlloc,
    PosixMemalign,
    Free,
    CopyMemory,
    MoveMemory,
    SetMemory,
    CompareMemory,
    FindByte,
    Length,
    BoundedLength,
    Compare,
    CompareBounded,
    CopyString,
    CopyBounded,
    Concatenate,
    ConcatenateBounded,
    Find,
    FindLast,
    FindString,
    Duplicate,
    // Numbers and characters.
    Absolute,
    AbsoluteLong,
    ParseInt,
    ParseLong,
    FirstSet,
    FirstSetLong,
    IsDigit,
    IsAlpha,
    IsAlnum,
    IsSpace,
    IsUpper,
    IsLower,
    ToUpper,
    ToLower,
    Random,
    // Intrinsics on numbers.
    CountLeadingZeros,
    CountTrailingZeros,
    PopulationCount,
    ByteSwap,
    AddOverflow,
    Max,
    Min,
    MaxUnsigned,
    MinUnsigned,
    IsConstant,
    ObjectSize,
    Trap,
    Math(Math),
    // Output.
    Print,
    PrintTo,
    PrintText,
    PrintTextTo,
    PrintChar,
    PrintVariadic,
    PrintVariadicTo,
    PrintError,
    WriteBytes,
    Format,
    FormatBounded,
    FormatVariadic,
    FormatBoundedVariadic,
    // The end.
    Abort,
    ErrorReached,
    AssertFail,
    AssertFailMac,
    Exit,
    // What checkers add.
    Progress,
    Assume,
    AssertThat,
    NondetBool,
    Nondet,
    Choose,
    AtomicBegin,
    AtomicEnd,
    // Handlers.
    HandlerAny,
    HandlerFifo,
    Post,
    Event,
    QCreate,
    QStart,
    QExec,
    QPost,
    // The rest.
    ErrnoLocation,
    VaStart,
    VaEnd,
    VaCopy,
    StackSave,
    StackRestore,
    /// Nothing happens; 0 is returned.
    Nothing,
    /// Nothing happens; the first argument is returned.
    First,
    /// A clock that stands still.
    Clock,
    Environment,
}

/// Functions of one or two floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Math {
    Absolute,
    SquareRoot,
    Floor,
    Ceil,
    Truncate,
    Round,
    Power,
    Exp,
    Log,
    Sine,
    Cosine,
    Tangent,
    Max,
    Min,
    MultiplyAdd,
    CopySign,
    Remainder,
}

/// When a routine can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// At once: no other actor can see it.
    Local,
    /// At once if the pointers among its arguments (a bit each) are to private memory.
    Memory(u8),
    /// As a step of its own.
    Visible,
}

use Routine as R;

/// The routine with this name. `defined` tells that the program has a function of that name: only some of those give way.
pub(crate) fn routine(name: &str, defined: bool) -> Option<Routine> {
    let found = if let Some(name) = name.strip_prefix("llvm.") { Some(intrinsic(name)?) } else { by_name(name) }?;
    let replaces =
        matches!(found, R::QCreate | R::QStart | R::QExec | R::QPost | R::AtomicBegin | R::AtomicEnd | R::ErrorReached)
            || name.starts_with("__VERIFIER_")
            || name.starts_with("mazurka_");
    (!defined || replaces).then_some(found)
}

fn intrinsic(name: &str) -> Option<Routine> {
    let stem = name.split(".p0").next().unwrap_or(name);
    Some(match stem {
        "memcpy" | "memcpy.inline" => R::CopyMemory,
        "memmove" => R::MoveMemory,
        "memset" => R::SetMemory,
        "trap" | "debugtrap" | "ubsantrap" => R::Trap,
        "stacksave" => R::StackSave,
        "stackrestore" => R::StackRestore,
        "va_start" => R::VaStart,
        "va_end" => R::VaEnd,
        "va_copy" => R::VaCopy,
        "threadlocal.address" => R::First,
        _ => {
            let (stem, _) = name.split_once(".i").or_else(|| name.split_once(".f")).unwrap_or((name, ""));
            match stem {
                "ctlz" => R::CountLeadingZeros,
                "cttz" => R::CountTrailingZeros,
                "ctpop" => R::PopulationCount,
                "bswap" => R::ByteSwap,
                "abs" => R::AbsoluteLong,
                "smax" => R::Max,
                "smin" => R::Min,
                "umax" => R::MaxUnsigned,
                "umin" => R::MinUnsigned,
                "expect" => R::First,
                "is.constant" => R::IsConstant,
                "objectsize" => R::ObjectSize,
                "fabs" | "fabsf" => R::Math(Math::Absolute),
                "sqrt" | "sqrtf" => R::Math(Math::SquareRoot),
                "floor" | "floorf" => R::Math(Math::Floor),
                "ceil" | "ceilf" => R::Math(Math::Ceil),
                "trunc" | "truncf" => R::Math(Math::Truncate),
                "fmuladd" | "fma" => R::Math(Math::MultiplyAdd),
                "copysign" => R::Math(Math::CopySign),
                "maxnum" => R::Math(Math::Max),
                "minnum" => R::Math(Math::Min),
                _ if [
                    "lifetime",
                    "assume",
                    "dbg",
                    "prefetch",
                    "donothing",
                    "annotation",
                    "var.annotation",
                    "x86.sse2.pause",
                    "experimental.noalias",
                ]
                .iter()
                .any(|quiet| stem.starts_with(quiet)) =>
                {
                    R::Nothing
                }
                _ => return None,
            }
        }
    })
}

fn by_name(name: &str) -> Option<Routine> {
    Some(match name {
        "pthread_create" => R::Create,
        "pthread_join" => R::Join,
        "pthread_detach" => R::Detach,
        "pthread_exit" => R::EndThread,
        "pthread_self" | "thrd_current" | "gettid" | "__VERIFIER_tid" => R::Current,
        "pthread_equal" | "thrd_equal" => R::SameThread,
        "thrd_create" => R::CreateC11,
        "thrd_join" => R::JoinC11,
        "thrd_detach" => R::Detach,
        "thrd_exit" => R::EndThreadC11,
        "pthread_mutex_init" => R::MutexInit,
        "mtx_init" => R::MutexInitC11,
        "pthread_mutex_destroy" | "mtx_destroy" | "pthread_spin_destroy" => R::MutexDestroy,
        "pthread_mutex_lock" | "mtx_lock" | "pthread_spin_lock" => R::Lock,
        "pthread_mutex_trylock" | "pthread_spin_trylock" => R::TryLock,
        "mtx_trylock" => R::TryLockC11,
        "pthread_mutex_timedlock" | "pthread_mutex_clocklock" => R::TimedLock,
        "mtx_timedlock" => R::TimedLockC11,
        "pthread_mutex_unlock" | "mtx_unlock" | "pthread_spin_unlock" => R::Unlock,
        "pthread_mutexattr_settype" => R::SetMutexType,
        "pthread_spin_init" => R::SpinInit,
        "pthread_attr_setdetachstate" => R::SetDetached,
        "pthread_cond_init" | "cnd_init" => R::ConditionInit,
        "pthread_cond_destroy" | "cnd_destroy" => R::ConditionDestroy,
        "pthread_cond_wait" | "cnd_wait" => R::Wait,
        "pthread_cond_timedwait" | "pthread_cond_clockwait" => R::TimedWait,
        "cnd_timedwait" => R::TimedWaitC11,
        "pthread_cond_signal" | "cnd_signal" => R::Signal,
        "pthread_cond_broadcast" | "cnd_broadcast" => R::Broadcast,
        "pthread_rwlock_init" => R::RwInit,
        "pthread_rwlock_destroy" => R::RwDestroy,
        "pthread_rwlock_rdlock" => R::ReadLock,
        "pthread_rwlock_wrlock" => R::WriteLock,
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => R::TimedReadLock,
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => R::TimedWriteLock,
        "pthread_rwlock_tryrdlock" => R::TryReadLock,
        "pthread_rwlock_trywrlock" => R::TryWriteLock,
        "pthread_rwlock_unlock" => R::RwUnlock,
        "pthread_barrier_init" => R::BarrierInit,
        "pthread_barrier_wait" => R::BarrierWait,
        "pthread_barrier_destroy" => R::BarrierDestroy,
        "sem_init" => R::SemaphoreInit,
        "sem_wait" => R::SemaphoreWait,
        "sem_trywait" => R::SemaphoreTryWait,
        "sem_timedwait" | "sem_clockwait" => R::SemaphoreTimedWait,
        "sem_post" => R::SemaphorePost,
        "sem_getvalue" => R::SemaphoreValue,
        "sem_destroy" => R::SemaphoreDestroy,
        "pthread_once" | "call_once" => R::Once,
        "pthread_key_create" | "tss_create" => R::KeyCreate,
        "pthread_key_delete" | "tss_delete" => R::KeyDelete,
        "pthread_setspecific" | "tss_set" => R::KeySet,
        "pthread_getspecific" | "tss_get" => R::KeyGet,
        "malloc" | "valloc" | "alloca" => R::Malloc,
        "calloc" => R::Calloc,
        "realloc" => R::Realloc,
        "aligned_alloc" | "memalign" => R::AlignedAlloc,
        "posix_memalign" => R::PosixMemalign,
        "free" | "cfree" => R::Free,
        "memcpy" | "__memcpy_chk" => R::CopyMemory,
        "memmove" | "__memmove_chk" | "bcopy" => R::MoveMemory,
        "memset" | "__memset_chk" => R::SetMemory,
        "memcmp" | "bcmp" => R::CompareMemory,
        "memchr" => R::FindByte,
        "strlen" => R::Length,
        "strnlen" => R::BoundedLength,
        "strcmp" => R::Compare,
        "strncmp" => R::CompareBounded,
        "strcpy" | "__strcpy_chk" => R::CopyString,
        "strncpy" | "__strncpy_chk" => R::CopyBounded,
        "strcat" | "__strcat_chk" => R::Concatenate,
        "strncat" => R::ConcatenateBounded,
        "strchr" | "index" => R::Find,
        "strrchr" | "rindex" => R::FindLast,
        "strstr" => R::FindString,
        "strdup" => R::Duplicate,
        "abs" => R::Absolute,
        "labs" | "llabs" => R::AbsoluteLong,
        "atoi" => R::ParseInt,
        "atol" | "atoll" | "strtol" | "strtoul" | "strtoll" | "strtoull" => R::ParseLong,
        "ffs" => R::FirstSet,
        "ffsl" | "ffsll" => R::FirstSetLong,
        "isdigit" => R::IsDigit,
        "isalpha" => R::IsAlpha,
        "isalnum" => R::IsAlnum,
        "isspace" => R::IsSpace,
        "isupper" => R::IsUpper,
        "islower" => R::IsLower,
        "toupper" => R::ToUpper,
        "tolower" => R::ToLower,
        "rand" | "random" | "rand_r" | "lrand48" => R::Random,
        "fabs" | "fabsf" => R::Math(Math::Absolute),
        "sqrt" | "sqrtf" => R::Math(Math::SquareRoot),
        "floor" | "floorf" => R::Math(Math::Floor),
        "ceil" | "ceilf" => R::Math(Math::Ceil),
        "trunc" | "truncf" => R::Math(Math::Truncate),
        "round" | "roundf" => R::Math(Math::Round),
        "pow" | "powf" => R::Math(Math::Power),
        "exp" | "expf" => R::Math(Math::Exp),
        "log" | "logf" => R::Math(Math::Log),
        "sin" | "sinf" => R::Math(Math::Sine),
        "cos" | "cosf" => R::Math(Math::Cosine),
        "tan" | "tanf" => R::Math(Math::Tangent),
        "fmax" | "fmaxf" => R::Math(Math::Max),
        "fmin" | "fminf" => R::Math(Math::Min),
        "fmod" | "fmodf" => R::Math(Math::Remainder),
        "printf" => R::Print,
        "__printf_chk" => R::PrintTo,
        "fprintf" | "dprintf" => R::PrintTo,
        "puts" => R::PrintText,
        "fputs" => R::PrintTextTo,
        "putchar" | "putc" | "fputc" | "putchar_unlocked" => R::PrintChar,
        "vprintf" => R::PrintVariadic,
        "vfprintf" => R::PrintVariadicTo,
        "perror" => R::PrintError,
        "fwrite" => R::WriteBytes,
        "sprintf" => R::Format,
        "snprintf" => R::FormatBounded,
        "vsprintf" => R::FormatVariadic,
        "vsnprintf" => R::FormatBoundedVariadic,
        "abort" => R::Abort,
        "__VERIFIER_error" | "reach_error" => R::ErrorReached,
        "__assert_fail" | "__assert" => R::AssertFail,
        "__assert_rtn" => R::AssertFailMac,
        "exit" | "_exit" | "_Exit" | "quick_exit" => R::Exit,
        "mazurka_progress" => R::Progress,
        "__VERIFIER_assume" | "mazurka_assume" => R::Assume,
        "__VERIFIER_assert" => R::AssertThat,
        "__VERIFIER_nondet_bool" | "__VERIFIER_nondet__Bool" => R::NondetBool,
        "mazurka_choose" => R::Choose,
        "__VERIFIER_atomic_begin" | "mazurka_atomic_begin" => R::AtomicBegin,
        "__VERIFIER_atomic_end" | "mazurka_atomic_end" => R::AtomicEnd,
        "mazurka_any" => R::HandlerAny,
        "mazurka_fifo" => R::HandlerFifo,
        "mazurka_post" => R::Post,
        "mazurka_event" => R::Event,
        "qthread_create" => R::QCreate,
        "qthread_start" => R::QStart,
        "qthread_exec" => R::QExec,
        "qthread_post_event" => R::QPost,
        "__errno_location" | "__error" => R::ErrnoLocation,
        "time" | "clock" | "clock_gettime" | "gettimeofday" | "timespec_get" => R::Clock,
        "getenv" | "secure_getenv" => R::Environment,
        "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_mutexattr_init"
        | "pthread_mutexattr_destroy"
        | "pthread_condattr_init"
        | "pthread_condattr_destroy"
        | "pthread_rwlockattr_init"
        | "pthread_rwlockattr_destroy"
        | "pthread_barrierattr_init"
        | "pthread_barrierattr_destroy"
        | "pthread_attr_setscope"
        | "pthread_attr_setstacksize"
        | "pthread_attr_setschedpolicy"
        | "pthread_mutexattr_setpshared"
        | "pthread_condattr_setclock"
        | "pthread_condattr_setpshared"
        | "pthread_barrierattr_setpshared"
        | "pthread_setconcurrency"
        | "pthread_yield"
        | "sched_yield"
        | "thrd_yield"
        | "sleep"
        | "usleep"
        | "nanosleep"
        | "thrd_sleep"
        | "clock_nanosleep"
        | "fflush"
        | "srand"
        | "srandom"
        | "srand48"
        | "setvbuf"
        | "setbuf"
        | "atexit"
        | "signal"
        | "pthread_setname_np"
        | "pthread_setcancelstate"
        | "pthread_setcanceltype"
        | "pthread_testcancel"
        | "getpid"
        | "fclose"
        | "__VERIFIER_loop_begin"
        | "__VERIFIER_spin_start"
        | "__VERIFIER_spin_end"
        | "__VERIFIER_loop_bound"
        | "pthread_mutexattr_setprotocol"
        | "pthread_mutexattr_setprioceiling"
        | "pthread_mutexattr_setrobust"
        | "pthread_mutex_consistent"
        | "pthread_attr_setinheritsched"
        | "pthread_attr_setschedparam"
        | "pthread_attr_setguardsize"
        | "pthread_setschedparam"
        | "pthread_setschedprio"
        | "pthread_setaffinity_np"
        | "pthread_rwlockattr_setpshared"
        | "pthread_rwlockattr_setkind_np"
        | "pthread_atfork"
        | "pthread_sigmask"
        | "sigprocmask"
        | "sigaction"
        | "sigemptyset"
        | "sigfillset"
        | "sigaddset"
        | "sched_setscheduler"
        | "alarm"
        | "fputc_unlocked"
        | "setlocale" => R::Nothing,
        _ if name.starts_with("__VERIFIER_nondet") => R::Nondet,
        _ => return None,
    })
}

impl Routine {
    /// When the routine can be run.
    pub(crate) fn sight(self) -> Sight {
        match self {
            R::Nothing
            | R::First
            | R::Current
            | R::SameThread
            | R::EndThread
            | R::EndThreadC11
            | R::Malloc
            | R::Calloc
            | R::AlignedAlloc
            | R::Absolute
            | R::AbsoluteLong
            | R::FirstSet
            | R::FirstSetLong
            | R::IsDigit
            | R::IsAlpha
            | R::IsAlnum
            | R::IsSpace
            | R::IsUpper
            | R::IsLower
            | R::ToUpper
            | R::ToLower
            | R::Random
            | R::CountLeadingZeros
            | R::CountTrailingZeros
            | R::PopulationCount
            | R::ByteSwap
            | R::AddOverflow
            | R::Max
            | R::Min
            | R::MaxUnsigned
            | R::MinUnsigned
            | R::IsConstant
            | R::ObjectSize
            | R::Trap
            | R::Math(_)
            | R::Print
            | R::PrintTo
            | R::PrintText
            | R::PrintTextTo
            | R::PrintChar
            | R::PrintVariadic
            | R::PrintVariadicTo
            | R::PrintError
            | R::WriteBytes
            | R::Abort
            | R::ErrorReached
            | R::AssertFail
            | R::AssertFailMac
            | R::Progress
            | R::Assume
            | R::AssertThat
            | R::AtomicEnd
            | R::ErrnoLocation
            | R::VaStart
            | R::VaEnd
            | R::VaCopy
            | R::StackSave
            | R::StackRestore
            | R::Environment
            | R::KeySet
            | R::KeyGet => Sight::Local,
            R::CopyMemory
            | R::MoveMemory
            | R::CompareMemory
            | R::Compare
            | R::CompareBounded
            | R::CopyString
            | R::CopyBounded
            | R::Concatenate
            | R::ConcatenateBounded
            | R::FindString => Sight::Memory(0b11),
            R::SetMemory
            | R::Length
            | R::BoundedLength
            | R::FindByte
            | R::Find
            | R::FindLast
            | R::Duplicate
            | R::ParseInt
            | R::ParseLong
            | R::PosixMemalign
            | R::SetMutexType
            | R::SetDetached => Sight::Memory(0b1),
            R::Clock => Sight::Memory(0b11),
            R::Format => Sight::Memory(0b1111_1101),
            R::FormatBounded => Sight::Memory(0b1111_1001),
            R::FormatVariadic | R::FormatBoundedVariadic => Sight::Memory(0b1),
            _ => Sight::Visible,
        }
    }

    /// Which pointers among the arguments (a bit each) the routine keeps or gives to others. What it only reads or writes
    /// through while it runs does not escape.
    pub(crate) fn keeps(self) -> u32 {
        match self {
            R::Create | R::CreateC11 => !0b1,
            R::Join | R::JoinC11 => !0b10,
            R::QCreate => !0b1,
            R::Post | R::QPost | R::Event | R::KeySet | R::EndThread => !0,
            // Where it is decides what it is: others have to find it, too.
            R::MutexInit
            | R::MutexInitC11
            | R::MutexDestroy
            | R::Lock
            | R::TryLock
            | R::TryLockC11
            | R::TimedLock
            | R::TimedLockC11
            | R::TimedReadLock
            | R::TimedWriteLock
            | R::Unlock
            | R::SpinInit
            | R::ConditionInit
            | R::ConditionDestroy
            | R::Wait
            | R::TimedWait
            | R::TimedWaitC11
            | R::Signal
            | R::Broadcast
            | R::RwInit
            | R::RwDestroy
            | R::ReadLock
            | R::WriteLock
            | R::TryReadLock
            | R::TryWriteLock
            | R::RwUnlock
            | R::BarrierInit
            | R::BarrierWait
            | R::BarrierDestroy
            | R::SemaphoreInit
            | R::SemaphoreWait
            | R::SemaphoreTryWait
            | R::SemaphoreTimedWait
            | R::SemaphorePost
            | R::SemaphoreValue
            | R::SemaphoreDestroy
            | R::Once => 0b1,
            // These return what they were given.
            R::First
            | R::Find
            | R::FindLast
            | R::FindString
            | R::FindByte
            | R::CopyMemory
            | R::MoveMemory
            | R::SetMemory
            | R::CopyString
            | R::CopyBounded
            | R::Concatenate
            | R::ConcatenateBounded => 0,
            _ => 0,
        }
    }

    /// Whether the routine returns its first argument, or a place in what that points to.
    pub(crate) fn returns_first(self) -> bool {
        matches!(
            self,
            R::First
                | R::Find
                | R::FindLast
                | R::FindString
                | R::FindByte
                | R::CopyMemory
                | R::MoveMemory
                | R::SetMemory
                | R::CopyString
                | R::CopyBounded
                | R::Concatenate
                | R::ConcatenateBounded
                | R::Realloc
        )
    }

    /// Whether an actor may be blocked before it, or in it.
    pub(crate) fn may_block(self) -> bool {
        matches!(
            self,
            R::Join
                | R::JoinC11
                | R::Lock
                | R::Wait
                | R::TimedWait
                | R::TimedWaitC11
                | R::ReadLock
                | R::WriteLock
                | R::BarrierWait
                | R::SemaphoreWait
                | R::Once
        )
    }
}
