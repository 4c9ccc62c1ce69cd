; ModuleID = 'sums.c'
source_filename = "sums.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.item = type { i32, double, %struct.item* }
%struct.pthread_mutex_t = type { i32, i32 }
%struct.pair = type { i64, i64 }

@items = internal global %struct.item* null, align 8, !dbg !0
@.str = private unnamed_addr constant [15 x i8] c"%ld %ld %d %s\0A\00", align 1
@done = internal global i32 0, align 4, !dbg !9
@.str.1 = private unnamed_addr constant [2 x i8] c"?\00", align 1
@lock = internal global %struct.pthread_mutex_t zeroinitializer, align 4, !dbg !12
@calls = internal thread_local global i32 1, align 4, !dbg !20

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @main(i32 noundef %count, i8** noundef %arguments) #0 !dbg !37 {
entry:
  %retval = alloca i32, align 4
  %count.addr = alloca i32, align 4
  %arguments.addr = alloca i8**, align 8
  %threads = alloca [2 x i64], align 16
  %sum = alloca i32, align 4
  %total = alloca i32, align 4
  %k = alloca i64, align 8
  %k1 = alloca i32, align 4
  %result = alloca i8*, align 8
  %item = alloca %struct.item*, align 8
  %next = alloca %struct.item*, align 8
  %pair = alloca %struct.pair, align 8
  %.compoundliteral = alloca %struct.pair, align 8
  store i32 0, i32* %retval, align 4
  store i32 %count, i32* %count.addr, align 4
  call void @llvm.dbg.declare(metadata i32* %count.addr, metadata !44, metadata !DIExpression()), !dbg !45
  store i8** %arguments, i8*** %arguments.addr, align 8
  call void @llvm.dbg.declare(metadata i8*** %arguments.addr, metadata !46, metadata !DIExpression()), !dbg !47
  call void @llvm.dbg.declare(metadata [2 x i64]* %threads, metadata !48, metadata !DIExpression()), !dbg !54
  call void @llvm.dbg.declare(metadata i32* %sum, metadata !55, metadata !DIExpression()), !dbg !56
  store i32 0, i32* %sum, align 4, !dbg !56
  call void @llvm.dbg.declare(metadata i32* %total, metadata !57, metadata !DIExpression()), !dbg !58
  store i32 0, i32* %total, align 4, !dbg !58
  call void @llvm.dbg.declare(metadata i64* %k, metadata !59, metadata !DIExpression()), !dbg !61
  store i64 0, i64* %k, align 8, !dbg !61
  br label %for.cond, !dbg !62

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i64, i64* %k, align 8, !dbg !63
  %cmp = icmp slt i64 %0, 2, !dbg !65
  br i1 %cmp, label %for.body, label %for.end, !dbg !66

for.body:                                         ; preds = %for.cond
  %1 = load i64, i64* %k, align 8, !dbg !67
  %arrayidx = getelementptr inbounds [2 x i64], [2 x i64]* %threads, i64 0, i64 %1, !dbg !68
  %2 = load i64, i64* %k, align 8, !dbg !69
  %add = add nsw i64 %2, 1, !dbg !70
  %3 = inttoptr i64 %add to i8*, !dbg !71
  %call = call i32 @pthread_create(i64* noundef %arrayidx, i8* noundef null, i8* (i8*)* noundef @add, i8* noundef %3), !dbg !72
  br label %for.inc, !dbg !72

for.inc:                                          ; preds = %for.body
  %4 = load i64, i64* %k, align 8, !dbg !73
  %inc = add nsw i64 %4, 1, !dbg !73
  store i64 %inc, i64* %k, align 8, !dbg !73
  br label %for.cond, !dbg !74, !llvm.loop !75

for.end:                                          ; preds = %for.cond
  call void @llvm.dbg.declare(metadata i32* %k1, metadata !78, metadata !DIExpression()), !dbg !80
  store i32 0, i32* %k1, align 4, !dbg !80
  br label %for.cond2, !dbg !81

for.cond2:                                        ; preds = %for.inc8, %for.end
  %5 = load i32, i32* %k1, align 4, !dbg !82
  %cmp3 = icmp slt i32 %5, 2, !dbg !84
  br i1 %cmp3, label %for.body4, label %for.end10, !dbg !85

for.body4:                                        ; preds = %for.cond2
  call void @llvm.dbg.declare(metadata i8** %result, metadata !86, metadata !DIExpression()), !dbg !88
  %6 = load i32, i32* %k1, align 4, !dbg !89
  %idxprom = sext i32 %6 to i64, !dbg !90
  %arrayidx5 = getelementptr inbounds [2 x i64], [2 x i64]* %threads, i64 0, i64 %idxprom, !dbg !90
  %7 = load i64, i64* %arrayidx5, align 8, !dbg !90
  %call6 = call i32 @pthread_join(i64 noundef %7, i8** noundef %result), !dbg !91
  %8 = load i8*, i8** %result, align 8, !dbg !92
  %9 = ptrtoint i8* %8 to i64, !dbg !93
  %conv = trunc i64 %9 to i32, !dbg !94
  %10 = load i32, i32* %total, align 4, !dbg !95
  %add7 = add nsw i32 %10, %conv, !dbg !95
  store i32 %add7, i32* %total, align 4, !dbg !95
  br label %for.inc8, !dbg !96

for.inc8:                                         ; preds = %for.body4
  %11 = load i32, i32* %k1, align 4, !dbg !97
  %inc9 = add nsw i32 %11, 1, !dbg !97
  store i32 %inc9, i32* %k1, align 4, !dbg !97
  br label %for.cond2, !dbg !98, !llvm.loop !99

for.end10:                                        ; preds = %for.cond2
  call void @llvm.dbg.declare(metadata %struct.item** %item, metadata !101, metadata !DIExpression()), !dbg !103
  %12 = load %struct.item*, %struct.item** @items, align 8, !dbg !104
  store %struct.item* %12, %struct.item** %item, align 8, !dbg !103
  call void @llvm.dbg.declare(metadata %struct.item** %next, metadata !105, metadata !DIExpression()), !dbg !106
  br label %for.cond11, !dbg !107

for.cond11:                                       ; preds = %for.inc19, %for.end10
  %13 = load %struct.item*, %struct.item** %item, align 8, !dbg !108
  %tobool = icmp ne %struct.item* %13, null, !dbg !110
  br i1 %tobool, label %for.body12, label %for.end20, !dbg !110

for.body12:                                       ; preds = %for.cond11
  %14 = load %struct.item*, %struct.item** %item, align 8, !dbg !111
  %value = getelementptr inbounds %struct.item, %struct.item* %14, i32 0, i32 0, !dbg !113
  %15 = load i32, i32* %value, align 8, !dbg !113
  %16 = load i32, i32* %sum, align 4, !dbg !114
  %add13 = add nsw i32 %16, %15, !dbg !114
  store i32 %add13, i32* %sum, align 4, !dbg !114
  %17 = load %struct.item*, %struct.item** %item, align 8, !dbg !115
  %value14 = getelementptr inbounds %struct.item, %struct.item* %17, i32 0, i32 0, !dbg !116
  %18 = load i32, i32* %value14, align 8, !dbg !116
  %rem = srem i32 %18, 3, !dbg !117
  switch i32 %rem, label %sw.default [
    i32 0, label %sw.bb
    i32 1, label %sw.bb16
  ], !dbg !118

sw.bb:                                            ; preds = %for.body12
  %19 = load i32, i32* %sum, align 4, !dbg !119
  %add15 = add nsw i32 %19, 100, !dbg !119
  store i32 %add15, i32* %sum, align 4, !dbg !119
  br label %sw.epilog, !dbg !121

sw.bb16:                                          ; preds = %for.body12
  %20 = load i32, i32* %sum, align 4, !dbg !122
  %add17 = add nsw i32 %20, 200, !dbg !122
  store i32 %add17, i32* %sum, align 4, !dbg !122
  br label %sw.epilog, !dbg !123

sw.default:                                       ; preds = %for.body12
  %21 = load i32, i32* %sum, align 4, !dbg !124
  %sub = sub nsw i32 %21, 1, !dbg !124
  store i32 %sub, i32* %sum, align 4, !dbg !124
  br label %sw.epilog, !dbg !125

sw.epilog:                                        ; preds = %sw.default, %sw.bb16, %sw.bb
  %22 = load %struct.item*, %struct.item** %item, align 8, !dbg !126
  %next18 = getelementptr inbounds %struct.item, %struct.item* %22, i32 0, i32 2, !dbg !127
  %23 = load %struct.item*, %struct.item** %next18, align 8, !dbg !127
  store %struct.item* %23, %struct.item** %next, align 8, !dbg !128
  %24 = load %struct.item*, %struct.item** %item, align 8, !dbg !129
  %25 = bitcast %struct.item* %24 to i8*, !dbg !129
  call void @free(i8* noundef %25), !dbg !130
  br label %for.inc19, !dbg !131

for.inc19:                                        ; preds = %sw.epilog
  %26 = load %struct.item*, %struct.item** %next, align 8, !dbg !132
  store %struct.item* %26, %struct.item** %item, align 8, !dbg !133
  br label %for.cond11, !dbg !134, !llvm.loop !135

for.end20:                                        ; preds = %for.cond11
  call void @llvm.dbg.declare(metadata %struct.pair* %pair, metadata !137, metadata !DIExpression()), !dbg !142
  %first = getelementptr inbounds %struct.pair, %struct.pair* %.compoundliteral, i32 0, i32 0, !dbg !143
  %27 = load i32, i32* %sum, align 4, !dbg !144
  %conv21 = sext i32 %27 to i64, !dbg !144
  store i64 %conv21, i64* %first, align 8, !dbg !143
  %second = getelementptr inbounds %struct.pair, %struct.pair* %.compoundliteral, i32 0, i32 1, !dbg !143
  %28 = load i32, i32* %total, align 4, !dbg !145
  %conv22 = sext i32 %28 to i64, !dbg !145
  store i64 %conv22, i64* %second, align 8, !dbg !143
  %29 = bitcast %struct.pair* %.compoundliteral to { i64, i64 }*, !dbg !146
  %30 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %29, i32 0, i32 0, !dbg !146
  %31 = load i64, i64* %30, align 8, !dbg !146
  %32 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %29, i32 0, i32 1, !dbg !146
  %33 = load i64, i64* %32, align 8, !dbg !146
  %call23 = call { i64, i64 } @swapped(i64 %31, i64 %33), !dbg !146
  %34 = bitcast %struct.pair* %pair to { i64, i64 }*, !dbg !146
  %35 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %34, i32 0, i32 0, !dbg !146
  %36 = extractvalue { i64, i64 } %call23, 0, !dbg !146
  store i64 %36, i64* %35, align 8, !dbg !146
  %37 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %34, i32 0, i32 1, !dbg !146
  %38 = extractvalue { i64, i64 } %call23, 1, !dbg !146
  store i64 %38, i64* %37, align 8, !dbg !146
  %first24 = getelementptr inbounds %struct.pair, %struct.pair* %pair, i32 0, i32 0, !dbg !147
  %39 = load i64, i64* %first24, align 8, !dbg !147
  %second25 = getelementptr inbounds %struct.pair, %struct.pair* %pair, i32 0, i32 1, !dbg !148
  %40 = load i64, i64* %second25, align 8, !dbg !148
  %atomic-load = load atomic i32, i32* @done seq_cst, align 4, !dbg !149
  %41 = load i32, i32* %count.addr, align 4, !dbg !150
  %cmp26 = icmp eq i32 %41, 1, !dbg !151
  br i1 %cmp26, label %cond.true, label %cond.false, !dbg !150

cond.true:                                        ; preds = %for.end20
  %42 = load i8**, i8*** %arguments.addr, align 8, !dbg !152
  %arrayidx28 = getelementptr inbounds i8*, i8** %42, i64 0, !dbg !152
  %43 = load i8*, i8** %arrayidx28, align 8, !dbg !152
  br label %cond.end, !dbg !150

cond.false:                                       ; preds = %for.end20
  br label %cond.end, !dbg !150

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi i8* [ %43, %cond.true ], [ getelementptr inbounds ([2 x i8], [2 x i8]* @.str.1, i64 0, i64 0), %cond.false ], !dbg !150
  %call29 = call i32 (i8*, ...) @printf(i8* noundef getelementptr inbounds ([15 x i8], [15 x i8]* @.str, i64 0, i64 0), i64 noundef %39, i64 noundef %40, i32 noundef %atomic-load, i8* noundef %cond), !dbg !153
  %atomic-load30 = load atomic i32, i32* @done seq_cst, align 4, !dbg !154
  %cmp31 = icmp eq i32 %atomic-load30, 2, !dbg !155
  %44 = zext i1 %cmp31 to i64, !dbg !154
  %cond33 = select i1 %cmp31, i32 7, i32 1, !dbg !154
  ret i32 %cond33, !dbg !156
}

; Function Attrs: nofree nosync nounwind readnone speculatable willreturn
declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

declare i32 @pthread_create(i64* noundef, i8* noundef, i8* (i8*)* noundef, i8* noundef) #2

; Function Attrs: noinline nounwind uwtable
define internal i8* @add(i8* noundef %argument) #0 !dbg !157 {
entry:
  %argument.addr = alloca i8*, align 8
  %k = alloca i32, align 4
  %item = alloca %struct.item*, align 8
  store i8* %argument, i8** %argument.addr, align 8
  call void @llvm.dbg.declare(metadata i8** %argument.addr, metadata !160, metadata !DIExpression()), !dbg !161
  call void @llvm.dbg.declare(metadata i32* %k, metadata !162, metadata !DIExpression()), !dbg !164
  store i32 0, i32* %k, align 4, !dbg !164
  br label %for.cond, !dbg !165

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, i32* %k, align 4, !dbg !166
  %cmp = icmp slt i32 %0, 2, !dbg !168
  br i1 %cmp, label %for.body, label %for.end, !dbg !169

for.body:                                         ; preds = %for.cond
  call void @llvm.dbg.declare(metadata %struct.item** %item, metadata !170, metadata !DIExpression()), !dbg !172
  %call = call i8* @malloc(i64 noundef 24), !dbg !173
  %1 = bitcast i8* %call to %struct.item*, !dbg !173
  store %struct.item* %1, %struct.item** %item, align 8, !dbg !172
  %2 = load i8*, i8** %argument.addr, align 8, !dbg !174
  %3 = ptrtoint i8* %2 to i64, !dbg !175
  %conv = trunc i64 %3 to i32, !dbg !176
  %mul = mul nsw i32 %conv, 10, !dbg !177
  %4 = load i32, i32* %k, align 4, !dbg !178
  %add = add nsw i32 %mul, %4, !dbg !179
  %5 = load %struct.item*, %struct.item** %item, align 8, !dbg !180
  %value = getelementptr inbounds %struct.item, %struct.item* %5, i32 0, i32 0, !dbg !181
  store i32 %add, i32* %value, align 8, !dbg !182
  %6 = load %struct.item*, %struct.item** %item, align 8, !dbg !183
  %value1 = getelementptr inbounds %struct.item, %struct.item* %6, i32 0, i32 0, !dbg !184
  %7 = load i32, i32* %value1, align 8, !dbg !184
  %conv2 = sitofp i32 %7 to double, !dbg !183
  %div = fdiv double %conv2, 4.000000e+00, !dbg !185
  %8 = load %struct.item*, %struct.item** %item, align 8, !dbg !186
  %weight = getelementptr inbounds %struct.item, %struct.item* %8, i32 0, i32 1, !dbg !187
  store double %div, double* %weight, align 8, !dbg !188
  %call3 = call i32 @pthread_mutex_lock(%struct.pthread_mutex_t* noundef @lock), !dbg !189
  %9 = load %struct.item*, %struct.item** @items, align 8, !dbg !190
  %10 = load %struct.item*, %struct.item** %item, align 8, !dbg !191
  %next = getelementptr inbounds %struct.item, %struct.item* %10, i32 0, i32 2, !dbg !192
  store %struct.item* %9, %struct.item** %next, align 8, !dbg !193
  %11 = load %struct.item*, %struct.item** %item, align 8, !dbg !194
  store %struct.item* %11, %struct.item** @items, align 8, !dbg !195
  %call4 = call i32 @pthread_mutex_unlock(%struct.pthread_mutex_t* noundef @lock), !dbg !196
  %12 = load i32, i32* @calls, align 4, !dbg !197
  %inc = add nsw i32 %12, 1, !dbg !197
  store i32 %inc, i32* @calls, align 4, !dbg !197
  br label %for.inc, !dbg !198

for.inc:                                          ; preds = %for.body
  %13 = load i32, i32* %k, align 4, !dbg !199
  %inc5 = add nsw i32 %13, 1, !dbg !199
  store i32 %inc5, i32* %k, align 4, !dbg !199
  br label %for.cond, !dbg !200, !llvm.loop !201

for.end:                                          ; preds = %for.cond
  %14 = atomicrmw add i32* @done, i32 1 seq_cst, align 4, !dbg !203
  %15 = add i32 %14, 1, !dbg !203
  %16 = load i32, i32* @calls, align 4, !dbg !204
  %conv6 = sext i32 %16 to i64, !dbg !205
  %17 = inttoptr i64 %conv6 to i8*, !dbg !206
  ret i8* %17, !dbg !207
}

declare i32 @pthread_join(i64 noundef, i8** noundef) #2

declare void @free(i8* noundef) #2

; Function Attrs: noinline nounwind uwtable
define internal { i64, i64 } @swapped(i64 %pair.coerce0, i64 %pair.coerce1) #0 !dbg !208 {
entry:
  %retval = alloca %struct.pair, align 8
  %pair = alloca %struct.pair, align 8
  %0 = bitcast %struct.pair* %pair to { i64, i64 }*
  %1 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %0, i32 0, i32 0
  store i64 %pair.coerce0, i64* %1, align 8
  %2 = getelementptr inbounds { i64, i64 }, { i64, i64 }* %0, i32 0, i32 1
  store i64 %pair.coerce1, i64* %2, align 8
  call void @llvm.dbg.declare(metadata %struct.pair* %pair, metadata !211, metadata !DIExpression()), !dbg !212
  %first = getelementptr inbounds %struct.pair, %struct.pair* %retval, i32 0, i32 0, !dbg !213
  %second = getelementptr inbounds %struct.pair, %struct.pair* %pair, i32 0, i32 1, !dbg !214
  %3 = load i64, i64* %second, align 8, !dbg !214
  store i64 %3, i64* %first, align 8, !dbg !213
  %second1 = getelementptr inbounds %struct.pair, %struct.pair* %retval, i32 0, i32 1, !dbg !213
  %first2 = getelementptr inbounds %struct.pair, %struct.pair* %pair, i32 0, i32 0, !dbg !215
  %4 = load i64, i64* %first2, align 8, !dbg !215
  store i64 %4, i64* %second1, align 8, !dbg !213
  %5 = bitcast %struct.pair* %retval to { i64, i64 }*, !dbg !216
  %6 = load { i64, i64 }, { i64, i64 }* %5, align 8, !dbg !216
  ret { i64, i64 } %6, !dbg !216
}

declare i32 @printf(i8* noundef, ...) #2

declare i8* @malloc(i64 noundef) #2

declare i32 @pthread_mutex_lock(%struct.pthread_mutex_t* noundef) #2

declare i32 @pthread_mutex_unlock(%struct.pthread_mutex_t* noundef) #2

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nofree nosync nounwind readnone speculatable willreturn }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!29, !30, !31, !32, !33, !34, !35}
!llvm.ident = !{!36}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "items", scope: !2, file: !3, line: 15, type: !22, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C99, file: !3, producer: "Debian clang version 14.0.6", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !8, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "sums.c", directory: ".", checksumkind: CSK_MD5, checksum: "fe802ad5e3633fb359ac60c6f5f7c4dc")
!4 = !{!5, !6, !7}
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!8 = !{!0, !9, !12, !20}
!9 = !DIGlobalVariableExpression(var: !10, expr: !DIExpression())
!10 = distinct !DIGlobalVariable(name: "done", scope: !2, file: !3, line: 18, type: !11, isLocal: true, isDefinition: true)
!11 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !6)
!12 = !DIGlobalVariableExpression(var: !13, expr: !DIExpression())
!13 = distinct !DIGlobalVariable(name: "lock", scope: !2, file: !3, line: 16, type: !14, isLocal: true, isDefinition: true)
!14 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_mutex_t", file: !3, line: 4, baseType: !15)
!15 = distinct !DICompositeType(tag: DW_TAG_structure_type, file: !3, line: 4, size: 64, elements: !16)
!16 = !{!17, !19}
!17 = !DIDerivedType(tag: DW_TAG_member, name: "holder", scope: !15, file: !3, line: 4, baseType: !18, size: 32)
!18 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!19 = !DIDerivedType(tag: DW_TAG_member, name: "kind", scope: !15, file: !3, line: 4, baseType: !18, size: 32, offset: 32)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "calls", scope: !2, file: !3, line: 17, type: !6, isLocal: true, isDefinition: true)
!22 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !23, size: 64)
!23 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "item", file: !3, line: 14, size: 192, elements: !24)
!24 = !{!25, !26, !28}
!25 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !23, file: !3, line: 14, baseType: !6, size: 32)
!26 = !DIDerivedType(tag: DW_TAG_member, name: "weight", scope: !23, file: !3, line: 14, baseType: !27, size: 64, offset: 64)
!27 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!28 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !23, file: !3, line: 14, baseType: !22, size: 64, offset: 128)
!29 = !{i32 7, !"Dwarf Version", i32 5}
!30 = !{i32 2, !"Debug Info Version", i32 3}
!31 = !{i32 1, !"wchar_size", i32 4}
!32 = !{i32 7, !"PIC Level", i32 2}
!33 = !{i32 7, !"PIE Level", i32 2}
!34 = !{i32 7, !"uwtable", i32 1}
!35 = !{i32 7, !"frame-pointer", i32 2}
!36 = !{!"Debian clang version 14.0.6"}
!37 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 37, type: !38, scopeLine: 37, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !43)
!38 = !DISubroutineType(types: !39)
!39 = !{!6, !6, !40}
!40 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !41, size: 64)
!41 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !42, size: 64)
!42 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!43 = !{}
!44 = !DILocalVariable(name: "count", arg: 1, scope: !37, file: !3, line: 37, type: !6)
!45 = !DILocation(line: 37, column: 14, scope: !37)
!46 = !DILocalVariable(name: "arguments", arg: 2, scope: !37, file: !3, line: 37, type: !40)
!47 = !DILocation(line: 37, column: 28, scope: !37)
!48 = !DILocalVariable(name: "threads", scope: !37, file: !3, line: 38, type: !49)
!49 = !DICompositeType(tag: DW_TAG_array_type, baseType: !50, size: 128, elements: !52)
!50 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_t", file: !3, line: 3, baseType: !51)
!51 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!52 = !{!53}
!53 = !DISubrange(count: 2)
!54 = !DILocation(line: 38, column: 15, scope: !37)
!55 = !DILocalVariable(name: "sum", scope: !37, file: !3, line: 39, type: !6)
!56 = !DILocation(line: 39, column: 9, scope: !37)
!57 = !DILocalVariable(name: "total", scope: !37, file: !3, line: 39, type: !6)
!58 = !DILocation(line: 39, column: 18, scope: !37)
!59 = !DILocalVariable(name: "k", scope: !60, file: !3, line: 40, type: !7)
!60 = distinct !DILexicalBlock(scope: !37, file: !3, line: 40, column: 5)
!61 = !DILocation(line: 40, column: 15, scope: !60)
!62 = !DILocation(line: 40, column: 10, scope: !60)
!63 = !DILocation(line: 40, column: 22, scope: !64)
!64 = distinct !DILexicalBlock(scope: !60, file: !3, line: 40, column: 5)
!65 = !DILocation(line: 40, column: 24, scope: !64)
!66 = !DILocation(line: 40, column: 5, scope: !60)
!67 = !DILocation(line: 40, column: 58, scope: !64)
!68 = !DILocation(line: 40, column: 50, scope: !64)
!69 = !DILocation(line: 40, column: 79, scope: !64)
!70 = !DILocation(line: 40, column: 81, scope: !64)
!71 = !DILocation(line: 40, column: 70, scope: !64)
!72 = !DILocation(line: 40, column: 34, scope: !64)
!73 = !DILocation(line: 40, column: 30, scope: !64)
!74 = !DILocation(line: 40, column: 5, scope: !64)
!75 = distinct !{!75, !66, !76, !77}
!76 = !DILocation(line: 40, column: 85, scope: !60)
!77 = !{!"llvm.loop.mustprogress"}
!78 = !DILocalVariable(name: "k", scope: !79, file: !3, line: 41, type: !6)
!79 = distinct !DILexicalBlock(scope: !37, file: !3, line: 41, column: 5)
!80 = !DILocation(line: 41, column: 14, scope: !79)
!81 = !DILocation(line: 41, column: 10, scope: !79)
!82 = !DILocation(line: 41, column: 21, scope: !83)
!83 = distinct !DILexicalBlock(scope: !79, file: !3, line: 41, column: 5)
!84 = !DILocation(line: 41, column: 23, scope: !83)
!85 = !DILocation(line: 41, column: 5, scope: !79)
!86 = !DILocalVariable(name: "result", scope: !87, file: !3, line: 42, type: !5)
!87 = distinct !DILexicalBlock(scope: !83, file: !3, line: 41, column: 33)
!88 = !DILocation(line: 42, column: 15, scope: !87)
!89 = !DILocation(line: 43, column: 30, scope: !87)
!90 = !DILocation(line: 43, column: 22, scope: !87)
!91 = !DILocation(line: 43, column: 9, scope: !87)
!92 = !DILocation(line: 44, column: 29, scope: !87)
!93 = !DILocation(line: 44, column: 23, scope: !87)
!94 = !DILocation(line: 44, column: 18, scope: !87)
!95 = !DILocation(line: 44, column: 15, scope: !87)
!96 = !DILocation(line: 45, column: 5, scope: !87)
!97 = !DILocation(line: 41, column: 29, scope: !83)
!98 = !DILocation(line: 41, column: 5, scope: !83)
!99 = distinct !{!99, !85, !100, !77}
!100 = !DILocation(line: 45, column: 5, scope: !79)
!101 = !DILocalVariable(name: "item", scope: !102, file: !3, line: 46, type: !22)
!102 = distinct !DILexicalBlock(scope: !37, file: !3, line: 46, column: 5)
!103 = !DILocation(line: 46, column: 23, scope: !102)
!104 = !DILocation(line: 46, column: 30, scope: !102)
!105 = !DILocalVariable(name: "next", scope: !102, file: !3, line: 46, type: !22)
!106 = !DILocation(line: 46, column: 38, scope: !102)
!107 = !DILocation(line: 46, column: 10, scope: !102)
!108 = !DILocation(line: 46, column: 44, scope: !109)
!109 = distinct !DILexicalBlock(scope: !102, file: !3, line: 46, column: 5)
!110 = !DILocation(line: 46, column: 5, scope: !102)
!111 = !DILocation(line: 47, column: 16, scope: !112)
!112 = distinct !DILexicalBlock(scope: !109, file: !3, line: 46, column: 63)
!113 = !DILocation(line: 47, column: 22, scope: !112)
!114 = !DILocation(line: 47, column: 13, scope: !112)
!115 = !DILocation(line: 48, column: 17, scope: !112)
!116 = !DILocation(line: 48, column: 23, scope: !112)
!117 = !DILocation(line: 48, column: 29, scope: !112)
!118 = !DILocation(line: 48, column: 9, scope: !112)
!119 = !DILocation(line: 49, column: 21, scope: !120)
!120 = distinct !DILexicalBlock(scope: !112, file: !3, line: 48, column: 34)
!121 = !DILocation(line: 49, column: 29, scope: !120)
!122 = !DILocation(line: 50, column: 21, scope: !120)
!123 = !DILocation(line: 50, column: 29, scope: !120)
!124 = !DILocation(line: 51, column: 22, scope: !120)
!125 = !DILocation(line: 52, column: 9, scope: !120)
!126 = !DILocation(line: 53, column: 16, scope: !112)
!127 = !DILocation(line: 53, column: 22, scope: !112)
!128 = !DILocation(line: 53, column: 14, scope: !112)
!129 = !DILocation(line: 54, column: 14, scope: !112)
!130 = !DILocation(line: 54, column: 9, scope: !112)
!131 = !DILocation(line: 55, column: 5, scope: !112)
!132 = !DILocation(line: 46, column: 57, scope: !109)
!133 = !DILocation(line: 46, column: 55, scope: !109)
!134 = !DILocation(line: 46, column: 5, scope: !109)
!135 = distinct !{!135, !110, !136, !77}
!136 = !DILocation(line: 55, column: 5, scope: !102)
!137 = !DILocalVariable(name: "pair", scope: !37, file: !3, line: 56, type: !138)
!138 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !3, line: 13, size: 128, elements: !139)
!139 = !{!140, !141}
!140 = !DIDerivedType(tag: DW_TAG_member, name: "first", scope: !138, file: !3, line: 13, baseType: !7, size: 64)
!141 = !DIDerivedType(tag: DW_TAG_member, name: "second", scope: !138, file: !3, line: 13, baseType: !7, size: 64, offset: 64)
!142 = !DILocation(line: 56, column: 17, scope: !37)
!143 = !DILocation(line: 56, column: 45, scope: !37)
!144 = !DILocation(line: 56, column: 47, scope: !37)
!145 = !DILocation(line: 56, column: 52, scope: !37)
!146 = !DILocation(line: 56, column: 24, scope: !37)
!147 = !DILocation(line: 57, column: 36, scope: !37)
!148 = !DILocation(line: 57, column: 48, scope: !37)
!149 = !DILocation(line: 57, column: 56, scope: !37)
!150 = !DILocation(line: 57, column: 62, scope: !37)
!151 = !DILocation(line: 57, column: 68, scope: !37)
!152 = !DILocation(line: 57, column: 75, scope: !37)
!153 = !DILocation(line: 57, column: 5, scope: !37)
!154 = !DILocation(line: 58, column: 12, scope: !37)
!155 = !DILocation(line: 58, column: 17, scope: !37)
!156 = !DILocation(line: 58, column: 5, scope: !37)
!157 = distinct !DISubprogram(name: "add", scope: !3, file: !3, line: 22, type: !158, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !43)
!158 = !DISubroutineType(types: !159)
!159 = !{!5, !5}
!160 = !DILocalVariable(name: "argument", arg: 1, scope: !157, file: !3, line: 22, type: !5)
!161 = !DILocation(line: 22, column: 24, scope: !157)
!162 = !DILocalVariable(name: "k", scope: !163, file: !3, line: 23, type: !6)
!163 = distinct !DILexicalBlock(scope: !157, file: !3, line: 23, column: 5)
!164 = !DILocation(line: 23, column: 14, scope: !163)
!165 = !DILocation(line: 23, column: 10, scope: !163)
!166 = !DILocation(line: 23, column: 21, scope: !167)
!167 = distinct !DILexicalBlock(scope: !163, file: !3, line: 23, column: 5)
!168 = !DILocation(line: 23, column: 23, scope: !167)
!169 = !DILocation(line: 23, column: 5, scope: !163)
!170 = !DILocalVariable(name: "item", scope: !171, file: !3, line: 24, type: !22)
!171 = distinct !DILexicalBlock(scope: !167, file: !3, line: 23, column: 33)
!172 = !DILocation(line: 24, column: 22, scope: !171)
!173 = !DILocation(line: 24, column: 29, scope: !171)
!174 = !DILocation(line: 25, column: 34, scope: !171)
!175 = !DILocation(line: 25, column: 28, scope: !171)
!176 = !DILocation(line: 25, column: 23, scope: !171)
!177 = !DILocation(line: 25, column: 43, scope: !171)
!178 = !DILocation(line: 25, column: 50, scope: !171)
!179 = !DILocation(line: 25, column: 48, scope: !171)
!180 = !DILocation(line: 25, column: 9, scope: !171)
!181 = !DILocation(line: 25, column: 15, scope: !171)
!182 = !DILocation(line: 25, column: 21, scope: !171)
!183 = !DILocation(line: 26, column: 24, scope: !171)
!184 = !DILocation(line: 26, column: 30, scope: !171)
!185 = !DILocation(line: 26, column: 36, scope: !171)
!186 = !DILocation(line: 26, column: 9, scope: !171)
!187 = !DILocation(line: 26, column: 15, scope: !171)
!188 = !DILocation(line: 26, column: 22, scope: !171)
!189 = !DILocation(line: 27, column: 9, scope: !171)
!190 = !DILocation(line: 28, column: 22, scope: !171)
!191 = !DILocation(line: 28, column: 9, scope: !171)
!192 = !DILocation(line: 28, column: 15, scope: !171)
!193 = !DILocation(line: 28, column: 20, scope: !171)
!194 = !DILocation(line: 29, column: 17, scope: !171)
!195 = !DILocation(line: 29, column: 15, scope: !171)
!196 = !DILocation(line: 30, column: 9, scope: !171)
!197 = !DILocation(line: 31, column: 14, scope: !171)
!198 = !DILocation(line: 32, column: 5, scope: !171)
!199 = !DILocation(line: 23, column: 29, scope: !167)
!200 = !DILocation(line: 23, column: 5, scope: !167)
!201 = distinct !{!201, !169, !202, !77}
!202 = !DILocation(line: 32, column: 5, scope: !163)
!203 = !DILocation(line: 33, column: 10, scope: !157)
!204 = !DILocation(line: 34, column: 26, scope: !157)
!205 = !DILocation(line: 34, column: 20, scope: !157)
!206 = !DILocation(line: 34, column: 12, scope: !157)
!207 = !DILocation(line: 34, column: 5, scope: !157)
!208 = distinct !DISubprogram(name: "swapped", scope: !3, file: !3, line: 20, type: !209, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !43)
!209 = !DISubroutineType(types: !210)
!210 = !{!138, !138}
!211 = !DILocalVariable(name: "pair", arg: 1, scope: !208, file: !3, line: 20, type: !138)
!212 = !DILocation(line: 20, column: 40, scope: !208)
!213 = !DILocation(line: 20, column: 68, scope: !208)
!214 = !DILocation(line: 20, column: 75, scope: !208)
!215 = !DILocation(line: 20, column: 88, scope: !208)
!216 = !DILocation(line: 20, column: 48, scope: !208)
