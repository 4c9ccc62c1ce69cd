; ModuleID = 'sums.c'
source_filename = "sums.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pthread_mutex_t = type { i32, i32 }
%struct.pair = type { i64, i64 }
%struct.item = type { i32, double, ptr }

@items = internal global ptr null, align 8, !dbg !0
@.str = private unnamed_addr constant [15 x i8] c"%ld %ld %d %s\0A\00", align 1, !dbg !9
@done = internal global i32 0, align 4, !dbg !20
@.str.1 = private unnamed_addr constant [2 x i8] c"?\00", align 1, !dbg !15
@lock = internal global %struct.pthread_mutex_t zeroinitializer, align 4, !dbg !23
@calls = internal thread_local global i32 1, align 4, !dbg !31

; Function Attrs: noinline nounwind uwtable
define dso_local i32 @main(i32 noundef %count, ptr noundef %arguments) #0 !dbg !48 {
entry:
  %retval = alloca i32, align 4
  %count.addr = alloca i32, align 4
  %arguments.addr = alloca ptr, align 8
  %threads = alloca [2 x i64], align 16
  %sum = alloca i32, align 4
  %total = alloca i32, align 4
  %k = alloca i64, align 8
  %k1 = alloca i32, align 4
  %result = alloca ptr, align 8
  %item = alloca ptr, align 8
  %next = alloca ptr, align 8
  %pair = alloca %struct.pair, align 8
  %.compoundliteral = alloca %struct.pair, align 8
  store i32 0, ptr %retval, align 4
  store i32 %count, ptr %count.addr, align 4
  call void @llvm.dbg.declare(metadata ptr %count.addr, metadata !54, metadata !DIExpression()), !dbg !55
  store ptr %arguments, ptr %arguments.addr, align 8
  call void @llvm.dbg.declare(metadata ptr %arguments.addr, metadata !56, metadata !DIExpression()), !dbg !57
  call void @llvm.dbg.declare(metadata ptr %threads, metadata !58, metadata !DIExpression()), !dbg !62
  call void @llvm.dbg.declare(metadata ptr %sum, metadata !63, metadata !DIExpression()), !dbg !64
  store i32 0, ptr %sum, align 4, !dbg !64
  call void @llvm.dbg.declare(metadata ptr %total, metadata !65, metadata !DIExpression()), !dbg !66
  store i32 0, ptr %total, align 4, !dbg !66
  call void @llvm.dbg.declare(metadata ptr %k, metadata !67, metadata !DIExpression()), !dbg !69
  store i64 0, ptr %k, align 8, !dbg !69
  br label %for.cond, !dbg !70

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i64, ptr %k, align 8, !dbg !71
  %cmp = icmp slt i64 %0, 2, !dbg !73
  br i1 %cmp, label %for.body, label %for.end, !dbg !74

for.body:                                         ; preds = %for.cond
  %1 = load i64, ptr %k, align 8, !dbg !75
  %arrayidx = getelementptr inbounds [2 x i64], ptr %threads, i64 0, i64 %1, !dbg !76
  %2 = load i64, ptr %k, align 8, !dbg !77
  %add = add nsw i64 %2, 1, !dbg !78
  %3 = inttoptr i64 %add to ptr, !dbg !79
  %call = call i32 @pthread_create(ptr noundef %arrayidx, ptr noundef null, ptr noundef @add, ptr noundef %3), !dbg !80
  br label %for.inc, !dbg !80

for.inc:                                          ; preds = %for.body
  %4 = load i64, ptr %k, align 8, !dbg !81
  %inc = add nsw i64 %4, 1, !dbg !81
  store i64 %inc, ptr %k, align 8, !dbg !81
  br label %for.cond, !dbg !82, !llvm.loop !83

for.end:                                          ; preds = %for.cond
  call void @llvm.dbg.declare(metadata ptr %k1, metadata !86, metadata !DIExpression()), !dbg !88
  store i32 0, ptr %k1, align 4, !dbg !88
  br label %for.cond2, !dbg !89

for.cond2:                                        ; preds = %for.inc8, %for.end
  %5 = load i32, ptr %k1, align 4, !dbg !90
  %cmp3 = icmp slt i32 %5, 2, !dbg !92
  br i1 %cmp3, label %for.body4, label %for.end10, !dbg !93

for.body4:                                        ; preds = %for.cond2
  call void @llvm.dbg.declare(metadata ptr %result, metadata !94, metadata !DIExpression()), !dbg !96
  %6 = load i32, ptr %k1, align 4, !dbg !97
  %idxprom = sext i32 %6 to i64, !dbg !98
  %arrayidx5 = getelementptr inbounds [2 x i64], ptr %threads, i64 0, i64 %idxprom, !dbg !98
  %7 = load i64, ptr %arrayidx5, align 8, !dbg !98
  %call6 = call i32 @pthread_join(i64 noundef %7, ptr noundef %result), !dbg !99
  %8 = load ptr, ptr %result, align 8, !dbg !100
  %9 = ptrtoint ptr %8 to i64, !dbg !101
  %conv = trunc i64 %9 to i32, !dbg !102
  %10 = load i32, ptr %total, align 4, !dbg !103
  %add7 = add nsw i32 %10, %conv, !dbg !103
  store i32 %add7, ptr %total, align 4, !dbg !103
  br label %for.inc8, !dbg !104

for.inc8:                                         ; preds = %for.body4
  %11 = load i32, ptr %k1, align 4, !dbg !105
  %inc9 = add nsw i32 %11, 1, !dbg !105
  store i32 %inc9, ptr %k1, align 4, !dbg !105
  br label %for.cond2, !dbg !106, !llvm.loop !107

for.end10:                                        ; preds = %for.cond2
  call void @llvm.dbg.declare(metadata ptr %item, metadata !109, metadata !DIExpression()), !dbg !111
  %12 = load ptr, ptr @items, align 8, !dbg !112
  store ptr %12, ptr %item, align 8, !dbg !111
  call void @llvm.dbg.declare(metadata ptr %next, metadata !113, metadata !DIExpression()), !dbg !114
  br label %for.cond11, !dbg !115

for.cond11:                                       ; preds = %for.inc19, %for.end10
  %13 = load ptr, ptr %item, align 8, !dbg !116
  %tobool = icmp ne ptr %13, null, !dbg !118
  br i1 %tobool, label %for.body12, label %for.end20, !dbg !118

for.body12:                                       ; preds = %for.cond11
  %14 = load ptr, ptr %item, align 8, !dbg !119
  %value = getelementptr inbounds %struct.item, ptr %14, i32 0, i32 0, !dbg !121
  %15 = load i32, ptr %value, align 8, !dbg !121
  %16 = load i32, ptr %sum, align 4, !dbg !122
  %add13 = add nsw i32 %16, %15, !dbg !122
  store i32 %add13, ptr %sum, align 4, !dbg !122
  %17 = load ptr, ptr %item, align 8, !dbg !123
  %value14 = getelementptr inbounds %struct.item, ptr %17, i32 0, i32 0, !dbg !124
  %18 = load i32, ptr %value14, align 8, !dbg !124
  %rem = srem i32 %18, 3, !dbg !125
  switch i32 %rem, label %sw.default [
    i32 0, label %sw.bb
    i32 1, label %sw.bb16
  ], !dbg !126

sw.bb:                                            ; preds = %for.body12
  %19 = load i32, ptr %sum, align 4, !dbg !127
  %add15 = add nsw i32 %19, 100, !dbg !127
  store i32 %add15, ptr %sum, align 4, !dbg !127
  br label %sw.epilog, !dbg !129

sw.bb16:                                          ; preds = %for.body12
  %20 = load i32, ptr %sum, align 4, !dbg !130
  %add17 = add nsw i32 %20, 200, !dbg !130
  store i32 %add17, ptr %sum, align 4, !dbg !130
  br label %sw.epilog, !dbg !131

sw.default:                                       ; preds = %for.body12
  %21 = load i32, ptr %sum, align 4, !dbg !132
  %sub = sub nsw i32 %21, 1, !dbg !132
  store i32 %sub, ptr %sum, align 4, !dbg !132
  br label %sw.epilog, !dbg !133

sw.epilog:                                        ; preds = %sw.default, %sw.bb16, %sw.bb
  %22 = load ptr, ptr %item, align 8, !dbg !134
  %next18 = getelementptr inbounds %struct.item, ptr %22, i32 0, i32 2, !dbg !135
  %23 = load ptr, ptr %next18, align 8, !dbg !135
  store ptr %23, ptr %next, align 8, !dbg !136
  %24 = load ptr, ptr %item, align 8, !dbg !137
  call void @free(ptr noundef %24), !dbg !138
  br label %for.inc19, !dbg !139

for.inc19:                                        ; preds = %sw.epilog
  %25 = load ptr, ptr %next, align 8, !dbg !140
  store ptr %25, ptr %item, align 8, !dbg !141
  br label %for.cond11, !dbg !142, !llvm.loop !143

for.end20:                                        ; preds = %for.cond11
  call void @llvm.dbg.declare(metadata ptr %pair, metadata !145, metadata !DIExpression()), !dbg !150
  %first = getelementptr inbounds %struct.pair, ptr %.compoundliteral, i32 0, i32 0, !dbg !151
  %26 = load i32, ptr %sum, align 4, !dbg !152
  %conv21 = sext i32 %26 to i64, !dbg !152
  store i64 %conv21, ptr %first, align 8, !dbg !151
  %second = getelementptr inbounds %struct.pair, ptr %.compoundliteral, i32 0, i32 1, !dbg !151
  %27 = load i32, ptr %total, align 4, !dbg !153
  %conv22 = sext i32 %27 to i64, !dbg !153
  store i64 %conv22, ptr %second, align 8, !dbg !151
  %28 = getelementptr inbounds { i64, i64 }, ptr %.compoundliteral, i32 0, i32 0, !dbg !154
  %29 = load i64, ptr %28, align 8, !dbg !154
  %30 = getelementptr inbounds { i64, i64 }, ptr %.compoundliteral, i32 0, i32 1, !dbg !154
  %31 = load i64, ptr %30, align 8, !dbg !154
  %call23 = call { i64, i64 } @swapped(i64 %29, i64 %31), !dbg !154
  %32 = getelementptr inbounds { i64, i64 }, ptr %pair, i32 0, i32 0, !dbg !154
  %33 = extractvalue { i64, i64 } %call23, 0, !dbg !154
  store i64 %33, ptr %32, align 8, !dbg !154
  %34 = getelementptr inbounds { i64, i64 }, ptr %pair, i32 0, i32 1, !dbg !154
  %35 = extractvalue { i64, i64 } %call23, 1, !dbg !154
  store i64 %35, ptr %34, align 8, !dbg !154
  %first24 = getelementptr inbounds %struct.pair, ptr %pair, i32 0, i32 0, !dbg !155
  %36 = load i64, ptr %first24, align 8, !dbg !155
  %second25 = getelementptr inbounds %struct.pair, ptr %pair, i32 0, i32 1, !dbg !156
  %37 = load i64, ptr %second25, align 8, !dbg !156
  %atomic-load = load atomic i32, ptr @done seq_cst, align 4, !dbg !157
  %38 = load i32, ptr %count.addr, align 4, !dbg !158
  %cmp26 = icmp eq i32 %38, 1, !dbg !159
  br i1 %cmp26, label %cond.true, label %cond.false, !dbg !158

cond.true:                                        ; preds = %for.end20
  %39 = load ptr, ptr %arguments.addr, align 8, !dbg !160
  %arrayidx28 = getelementptr inbounds ptr, ptr %39, i64 0, !dbg !160
  %40 = load ptr, ptr %arrayidx28, align 8, !dbg !160
  br label %cond.end, !dbg !158

cond.false:                                       ; preds = %for.end20
  br label %cond.end, !dbg !158

cond.end:                                         ; preds = %cond.false, %cond.true
  %cond = phi ptr [ %40, %cond.true ], [ @.str.1, %cond.false ], !dbg !158
  %call29 = call i32 (ptr, ...) @printf(ptr noundef @.str, i64 noundef %36, i64 noundef %37, i32 noundef %atomic-load, ptr noundef %cond), !dbg !161
  %atomic-load30 = load atomic i32, ptr @done seq_cst, align 4, !dbg !162
  %cmp31 = icmp eq i32 %atomic-load30, 2, !dbg !163
  %41 = zext i1 %cmp31 to i64, !dbg !162
  %cond33 = select i1 %cmp31, i32 7, i32 1, !dbg !162
  ret i32 %cond33, !dbg !164
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare void @llvm.dbg.declare(metadata, metadata, metadata) #1

declare i32 @pthread_create(ptr noundef, ptr noundef, ptr noundef, ptr noundef) #2

; Function Attrs: noinline nounwind uwtable
define internal ptr @add(ptr noundef %argument) #0 !dbg !165 {
entry:
  %argument.addr = alloca ptr, align 8
  %k = alloca i32, align 4
  %item = alloca ptr, align 8
  store ptr %argument, ptr %argument.addr, align 8
  call void @llvm.dbg.declare(metadata ptr %argument.addr, metadata !168, metadata !DIExpression()), !dbg !169
  call void @llvm.dbg.declare(metadata ptr %k, metadata !170, metadata !DIExpression()), !dbg !172
  store i32 0, ptr %k, align 4, !dbg !172
  br label %for.cond, !dbg !173

for.cond:                                         ; preds = %for.inc, %entry
  %0 = load i32, ptr %k, align 4, !dbg !174
  %cmp = icmp slt i32 %0, 2, !dbg !176
  br i1 %cmp, label %for.body, label %for.end, !dbg !177

for.body:                                         ; preds = %for.cond
  call void @llvm.dbg.declare(metadata ptr %item, metadata !178, metadata !DIExpression()), !dbg !180
  %call = call ptr @malloc(i64 noundef 24) #4, !dbg !181
  store ptr %call, ptr %item, align 8, !dbg !180
  %1 = load ptr, ptr %argument.addr, align 8, !dbg !182
  %2 = ptrtoint ptr %1 to i64, !dbg !183
  %conv = trunc i64 %2 to i32, !dbg !184
  %mul = mul nsw i32 %conv, 10, !dbg !185
  %3 = load i32, ptr %k, align 4, !dbg !186
  %add = add nsw i32 %mul, %3, !dbg !187
  %4 = load ptr, ptr %item, align 8, !dbg !188
  %value = getelementptr inbounds %struct.item, ptr %4, i32 0, i32 0, !dbg !189
  store i32 %add, ptr %value, align 8, !dbg !190
  %5 = load ptr, ptr %item, align 8, !dbg !191
  %value1 = getelementptr inbounds %struct.item, ptr %5, i32 0, i32 0, !dbg !192
  %6 = load i32, ptr %value1, align 8, !dbg !192
  %conv2 = sitofp i32 %6 to double, !dbg !191
  %div = fdiv double %conv2, 4.000000e+00, !dbg !193
  %7 = load ptr, ptr %item, align 8, !dbg !194
  %weight = getelementptr inbounds %struct.item, ptr %7, i32 0, i32 1, !dbg !195
  store double %div, ptr %weight, align 8, !dbg !196
  %call3 = call i32 @pthread_mutex_lock(ptr noundef @lock), !dbg !197
  %8 = load ptr, ptr @items, align 8, !dbg !198
  %9 = load ptr, ptr %item, align 8, !dbg !199
  %next = getelementptr inbounds %struct.item, ptr %9, i32 0, i32 2, !dbg !200
  store ptr %8, ptr %next, align 8, !dbg !201
  %10 = load ptr, ptr %item, align 8, !dbg !202
  store ptr %10, ptr @items, align 8, !dbg !203
  %call4 = call i32 @pthread_mutex_unlock(ptr noundef @lock), !dbg !204
  %11 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @calls), !dbg !205
  %12 = load i32, ptr %11, align 4, !dbg !206
  %inc = add nsw i32 %12, 1, !dbg !206
  store i32 %inc, ptr %11, align 4, !dbg !206
  br label %for.inc, !dbg !207

for.inc:                                          ; preds = %for.body
  %13 = load i32, ptr %k, align 4, !dbg !208
  %inc5 = add nsw i32 %13, 1, !dbg !208
  store i32 %inc5, ptr %k, align 4, !dbg !208
  br label %for.cond, !dbg !209, !llvm.loop !210

for.end:                                          ; preds = %for.cond
  %14 = atomicrmw add ptr @done, i32 1 seq_cst, align 4, !dbg !212
  %15 = add i32 %14, 1, !dbg !212
  %16 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @calls), !dbg !213
  %17 = load i32, ptr %16, align 4, !dbg !213
  %conv6 = sext i32 %17 to i64, !dbg !214
  %18 = inttoptr i64 %conv6 to ptr, !dbg !215
  ret ptr %18, !dbg !216
}

declare i32 @pthread_join(i64 noundef, ptr noundef) #2

declare void @free(ptr noundef) #2

; Function Attrs: noinline nounwind uwtable
define internal { i64, i64 } @swapped(i64 %pair.coerce0, i64 %pair.coerce1) #0 !dbg !217 {
entry:
  %retval = alloca %struct.pair, align 8
  %pair = alloca %struct.pair, align 8
  %0 = getelementptr inbounds { i64, i64 }, ptr %pair, i32 0, i32 0
  store i64 %pair.coerce0, ptr %0, align 8
  %1 = getelementptr inbounds { i64, i64 }, ptr %pair, i32 0, i32 1
  store i64 %pair.coerce1, ptr %1, align 8
  call void @llvm.dbg.declare(metadata ptr %pair, metadata !220, metadata !DIExpression()), !dbg !221
  %first = getelementptr inbounds %struct.pair, ptr %retval, i32 0, i32 0, !dbg !222
  %second = getelementptr inbounds %struct.pair, ptr %pair, i32 0, i32 1, !dbg !223
  %2 = load i64, ptr %second, align 8, !dbg !223
  store i64 %2, ptr %first, align 8, !dbg !222
  %second1 = getelementptr inbounds %struct.pair, ptr %retval, i32 0, i32 1, !dbg !222
  %first2 = getelementptr inbounds %struct.pair, ptr %pair, i32 0, i32 0, !dbg !224
  %3 = load i64, ptr %first2, align 8, !dbg !224
  store i64 %3, ptr %second1, align 8, !dbg !222
  %4 = load { i64, i64 }, ptr %retval, align 8, !dbg !225
  ret { i64, i64 } %4, !dbg !225
}

declare i32 @printf(ptr noundef, ...) #2

; Function Attrs: allocsize(0)
declare ptr @malloc(i64 noundef) #3

declare i32 @pthread_mutex_lock(ptr noundef) #2

declare i32 @pthread_mutex_unlock(ptr noundef) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #1

attributes #0 = { noinline nounwind uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { allocsize(0) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { allocsize(0) }

!llvm.dbg.cu = !{!2}
!llvm.module.flags = !{!40, !41, !42, !43, !44, !45, !46}
!llvm.ident = !{!47}

!0 = !DIGlobalVariableExpression(var: !1, expr: !DIExpression())
!1 = distinct !DIGlobalVariable(name: "items", scope: !2, file: !3, line: 15, type: !33, isLocal: true, isDefinition: true)
!2 = distinct !DICompileUnit(language: DW_LANG_C11, file: !3, producer: "Debian clang version 16.0.6 (15~deb12u1)", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug, retainedTypes: !4, globals: !8, splitDebugInlining: false, nameTableKind: None)
!3 = !DIFile(filename: "sums.c", directory: ".", checksumkind: CSK_MD5, checksum: "fe802ad5e3633fb359ac60c6f5f7c4dc")
!4 = !{!5, !6, !7}
!5 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: null, size: 64)
!6 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!7 = !DIBasicType(name: "long", size: 64, encoding: DW_ATE_signed)
!8 = !{!9, !15, !0, !20, !23, !31}
!9 = !DIGlobalVariableExpression(var: !10, expr: !DIExpression())
!10 = distinct !DIGlobalVariable(scope: null, file: !3, line: 57, type: !11, isLocal: true, isDefinition: true)
!11 = !DICompositeType(tag: DW_TAG_array_type, baseType: !12, size: 120, elements: !13)
!12 = !DIBasicType(name: "char", size: 8, encoding: DW_ATE_signed_char)
!13 = !{!14}
!14 = !DISubrange(count: 15)
!15 = !DIGlobalVariableExpression(var: !16, expr: !DIExpression())
!16 = distinct !DIGlobalVariable(scope: null, file: !3, line: 57, type: !17, isLocal: true, isDefinition: true)
!17 = !DICompositeType(tag: DW_TAG_array_type, baseType: !12, size: 16, elements: !18)
!18 = !{!19}
!19 = !DISubrange(count: 2)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "done", scope: !2, file: !3, line: 18, type: !22, isLocal: true, isDefinition: true)
!22 = !DIDerivedType(tag: DW_TAG_atomic_type, baseType: !6)
!23 = !DIGlobalVariableExpression(var: !24, expr: !DIExpression())
!24 = distinct !DIGlobalVariable(name: "lock", scope: !2, file: !3, line: 16, type: !25, isLocal: true, isDefinition: true)
!25 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_mutex_t", file: !3, line: 4, baseType: !26)
!26 = distinct !DICompositeType(tag: DW_TAG_structure_type, file: !3, line: 4, size: 64, elements: !27)
!27 = !{!28, !30}
!28 = !DIDerivedType(tag: DW_TAG_member, name: "holder", scope: !26, file: !3, line: 4, baseType: !29, size: 32)
!29 = !DIBasicType(name: "unsigned int", size: 32, encoding: DW_ATE_unsigned)
!30 = !DIDerivedType(tag: DW_TAG_member, name: "kind", scope: !26, file: !3, line: 4, baseType: !29, size: 32, offset: 32)
!31 = !DIGlobalVariableExpression(var: !32, expr: !DIExpression())
!32 = distinct !DIGlobalVariable(name: "calls", scope: !2, file: !3, line: 17, type: !6, isLocal: true, isDefinition: true)
!33 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !34, size: 64)
!34 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "item", file: !3, line: 14, size: 192, elements: !35)
!35 = !{!36, !37, !39}
!36 = !DIDerivedType(tag: DW_TAG_member, name: "value", scope: !34, file: !3, line: 14, baseType: !6, size: 32)
!37 = !DIDerivedType(tag: DW_TAG_member, name: "weight", scope: !34, file: !3, line: 14, baseType: !38, size: 64, offset: 64)
!38 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!39 = !DIDerivedType(tag: DW_TAG_member, name: "next", scope: !34, file: !3, line: 14, baseType: !33, size: 64, offset: 128)
!40 = !{i32 7, !"Dwarf Version", i32 5}
!41 = !{i32 2, !"Debug Info Version", i32 3}
!42 = !{i32 1, !"wchar_size", i32 4}
!43 = !{i32 8, !"PIC Level", i32 2}
!44 = !{i32 7, !"PIE Level", i32 2}
!45 = !{i32 7, !"uwtable", i32 2}
!46 = !{i32 7, !"frame-pointer", i32 2}
!47 = !{!"Debian clang version 16.0.6 (15~deb12u1)"}
!48 = distinct !DISubprogram(name: "main", scope: !3, file: !3, line: 37, type: !49, scopeLine: 37, flags: DIFlagPrototyped, spFlags: DISPFlagDefinition, unit: !2, retainedNodes: !53)
!49 = !DISubroutineType(types: !50)
!50 = !{!6, !6, !51}
!51 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !52, size: 64)
!52 = !DIDerivedType(tag: DW_TAG_pointer_type, baseType: !12, size: 64)
!53 = !{}
!54 = !DILocalVariable(name: "count", arg: 1, scope: !48, file: !3, line: 37, type: !6)
!55 = !DILocation(line: 37, column: 14, scope: !48)
!56 = !DILocalVariable(name: "arguments", arg: 2, scope: !48, file: !3, line: 37, type: !51)
!57 = !DILocation(line: 37, column: 28, scope: !48)
!58 = !DILocalVariable(name: "threads", scope: !48, file: !3, line: 38, type: !59)
!59 = !DICompositeType(tag: DW_TAG_array_type, baseType: !60, size: 128, elements: !18)
!60 = !DIDerivedType(tag: DW_TAG_typedef, name: "pthread_t", file: !3, line: 3, baseType: !61)
!61 = !DIBasicType(name: "unsigned long", size: 64, encoding: DW_ATE_unsigned)
!62 = !DILocation(line: 38, column: 15, scope: !48)
!63 = !DILocalVariable(name: "sum", scope: !48, file: !3, line: 39, type: !6)
!64 = !DILocation(line: 39, column: 9, scope: !48)
!65 = !DILocalVariable(name: "total", scope: !48, file: !3, line: 39, type: !6)
!66 = !DILocation(line: 39, column: 18, scope: !48)
!67 = !DILocalVariable(name: "k", scope: !68, file: !3, line: 40, type: !7)
!68 = distinct !DILexicalBlock(scope: !48, file: !3, line: 40, column: 5)
!69 = !DILocation(line: 40, column: 15, scope: !68)
!70 = !DILocation(line: 40, column: 10, scope: !68)
!71 = !DILocation(line: 40, column: 22, scope: !72)
!72 = distinct !DILexicalBlock(scope: !68, file: !3, line: 40, column: 5)
!73 = !DILocation(line: 40, column: 24, scope: !72)
!74 = !DILocation(line: 40, column: 5, scope: !68)
!75 = !DILocation(line: 40, column: 58, scope: !72)
!76 = !DILocation(line: 40, column: 50, scope: !72)
!77 = !DILocation(line: 40, column: 79, scope: !72)
!78 = !DILocation(line: 40, column: 81, scope: !72)
!79 = !DILocation(line: 40, column: 70, scope: !72)
!80 = !DILocation(line: 40, column: 34, scope: !72)
!81 = !DILocation(line: 40, column: 30, scope: !72)
!82 = !DILocation(line: 40, column: 5, scope: !72)
!83 = distinct !{!83, !74, !84, !85}
!84 = !DILocation(line: 40, column: 85, scope: !68)
!85 = !{!"llvm.loop.mustprogress"}
!86 = !DILocalVariable(name: "k", scope: !87, file: !3, line: 41, type: !6)
!87 = distinct !DILexicalBlock(scope: !48, file: !3, line: 41, column: 5)
!88 = !DILocation(line: 41, column: 14, scope: !87)
!89 = !DILocation(line: 41, column: 10, scope: !87)
!90 = !DILocation(line: 41, column: 21, scope: !91)
!91 = distinct !DILexicalBlock(scope: !87, file: !3, line: 41, column: 5)
!92 = !DILocation(line: 41, column: 23, scope: !91)
!93 = !DILocation(line: 41, column: 5, scope: !87)
!94 = !DILocalVariable(name: "result", scope: !95, file: !3, line: 42, type: !5)
!95 = distinct !DILexicalBlock(scope: !91, file: !3, line: 41, column: 33)
!96 = !DILocation(line: 42, column: 15, scope: !95)
!97 = !DILocation(line: 43, column: 30, scope: !95)
!98 = !DILocation(line: 43, column: 22, scope: !95)
!99 = !DILocation(line: 43, column: 9, scope: !95)
!100 = !DILocation(line: 44, column: 29, scope: !95)
!101 = !DILocation(line: 44, column: 23, scope: !95)
!102 = !DILocation(line: 44, column: 18, scope: !95)
!103 = !DILocation(line: 44, column: 15, scope: !95)
!104 = !DILocation(line: 45, column: 5, scope: !95)
!105 = !DILocation(line: 41, column: 29, scope: !91)
!106 = !DILocation(line: 41, column: 5, scope: !91)
!107 = distinct !{!107, !93, !108, !85}
!108 = !DILocation(line: 45, column: 5, scope: !87)
!109 = !DILocalVariable(name: "item", scope: !110, file: !3, line: 46, type: !33)
!110 = distinct !DILexicalBlock(scope: !48, file: !3, line: 46, column: 5)
!111 = !DILocation(line: 46, column: 23, scope: !110)
!112 = !DILocation(line: 46, column: 30, scope: !110)
!113 = !DILocalVariable(name: "next", scope: !110, file: !3, line: 46, type: !33)
!114 = !DILocation(line: 46, column: 38, scope: !110)
!115 = !DILocation(line: 46, column: 10, scope: !110)
!116 = !DILocation(line: 46, column: 44, scope: !117)
!117 = distinct !DILexicalBlock(scope: !110, file: !3, line: 46, column: 5)
!118 = !DILocation(line: 46, column: 5, scope: !110)
!119 = !DILocation(line: 47, column: 16, scope: !120)
!120 = distinct !DILexicalBlock(scope: !117, file: !3, line: 46, column: 63)
!121 = !DILocation(line: 47, column: 22, scope: !120)
!122 = !DILocation(line: 47, column: 13, scope: !120)
!123 = !DILocation(line: 48, column: 17, scope: !120)
!124 = !DILocation(line: 48, column: 23, scope: !120)
!125 = !DILocation(line: 48, column: 29, scope: !120)
!126 = !DILocation(line: 48, column: 9, scope: !120)
!127 = !DILocation(line: 49, column: 21, scope: !128)
!128 = distinct !DILexicalBlock(scope: !120, file: !3, line: 48, column: 34)
!129 = !DILocation(line: 49, column: 29, scope: !128)
!130 = !DILocation(line: 50, column: 21, scope: !128)
!131 = !DILocation(line: 50, column: 29, scope: !128)
!132 = !DILocation(line: 51, column: 22, scope: !128)
!133 = !DILocation(line: 52, column: 9, scope: !128)
!134 = !DILocation(line: 53, column: 16, scope: !120)
!135 = !DILocation(line: 53, column: 22, scope: !120)
!136 = !DILocation(line: 53, column: 14, scope: !120)
!137 = !DILocation(line: 54, column: 14, scope: !120)
!138 = !DILocation(line: 54, column: 9, scope: !120)
!139 = !DILocation(line: 55, column: 5, scope: !120)
!140 = !DILocation(line: 46, column: 57, scope: !117)
!141 = !DILocation(line: 46, column: 55, scope: !117)
!142 = !DILocation(line: 46, column: 5, scope: !117)
!143 = distinct !{!143, !118, !144, !85}
!144 = !DILocation(line: 55, column: 5, scope: !110)
!145 = !DILocalVariable(name: "pair", scope: !48, file: !3, line: 56, type: !146)
!146 = distinct !DICompositeType(tag: DW_TAG_structure_type, name: "pair", file: !3, line: 13, size: 128, elements: !147)
!147 = !{!148, !149}
!148 = !DIDerivedType(tag: DW_TAG_member, name: "first", scope: !146, file: !3, line: 13, baseType: !7, size: 64)
!149 = !DIDerivedType(tag: DW_TAG_member, name: "second", scope: !146, file: !3, line: 13, baseType: !7, size: 64, offset: 64)
!150 = !DILocation(line: 56, column: 17, scope: !48)
!151 = !DILocation(line: 56, column: 45, scope: !48)
!152 = !DILocation(line: 56, column: 47, scope: !48)
!153 = !DILocation(line: 56, column: 52, scope: !48)
!154 = !DILocation(line: 56, column: 24, scope: !48)
!155 = !DILocation(line: 57, column: 36, scope: !48)
!156 = !DILocation(line: 57, column: 48, scope: !48)
!157 = !DILocation(line: 57, column: 56, scope: !48)
!158 = !DILocation(line: 57, column: 62, scope: !48)
!159 = !DILocation(line: 57, column: 68, scope: !48)
!160 = !DILocation(line: 57, column: 75, scope: !48)
!161 = !DILocation(line: 57, column: 5, scope: !48)
!162 = !DILocation(line: 58, column: 12, scope: !48)
!163 = !DILocation(line: 58, column: 17, scope: !48)
!164 = !DILocation(line: 58, column: 5, scope: !48)
!165 = distinct !DISubprogram(name: "add", scope: !3, file: !3, line: 22, type: !166, scopeLine: 22, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !53)
!166 = !DISubroutineType(types: !167)
!167 = !{!5, !5}
!168 = !DILocalVariable(name: "argument", arg: 1, scope: !165, file: !3, line: 22, type: !5)
!169 = !DILocation(line: 22, column: 24, scope: !165)
!170 = !DILocalVariable(name: "k", scope: !171, file: !3, line: 23, type: !6)
!171 = distinct !DILexicalBlock(scope: !165, file: !3, line: 23, column: 5)
!172 = !DILocation(line: 23, column: 14, scope: !171)
!173 = !DILocation(line: 23, column: 10, scope: !171)
!174 = !DILocation(line: 23, column: 21, scope: !175)
!175 = distinct !DILexicalBlock(scope: !171, file: !3, line: 23, column: 5)
!176 = !DILocation(line: 23, column: 23, scope: !175)
!177 = !DILocation(line: 23, column: 5, scope: !171)
!178 = !DILocalVariable(name: "item", scope: !179, file: !3, line: 24, type: !33)
!179 = distinct !DILexicalBlock(scope: !175, file: !3, line: 23, column: 33)
!180 = !DILocation(line: 24, column: 22, scope: !179)
!181 = !DILocation(line: 24, column: 29, scope: !179)
!182 = !DILocation(line: 25, column: 34, scope: !179)
!183 = !DILocation(line: 25, column: 28, scope: !179)
!184 = !DILocation(line: 25, column: 23, scope: !179)
!185 = !DILocation(line: 25, column: 43, scope: !179)
!186 = !DILocation(line: 25, column: 50, scope: !179)
!187 = !DILocation(line: 25, column: 48, scope: !179)
!188 = !DILocation(line: 25, column: 9, scope: !179)
!189 = !DILocation(line: 25, column: 15, scope: !179)
!190 = !DILocation(line: 25, column: 21, scope: !179)
!191 = !DILocation(line: 26, column: 24, scope: !179)
!192 = !DILocation(line: 26, column: 30, scope: !179)
!193 = !DILocation(line: 26, column: 36, scope: !179)
!194 = !DILocation(line: 26, column: 9, scope: !179)
!195 = !DILocation(line: 26, column: 15, scope: !179)
!196 = !DILocation(line: 26, column: 22, scope: !179)
!197 = !DILocation(line: 27, column: 9, scope: !179)
!198 = !DILocation(line: 28, column: 22, scope: !179)
!199 = !DILocation(line: 28, column: 9, scope: !179)
!200 = !DILocation(line: 28, column: 15, scope: !179)
!201 = !DILocation(line: 28, column: 20, scope: !179)
!202 = !DILocation(line: 29, column: 17, scope: !179)
!203 = !DILocation(line: 29, column: 15, scope: !179)
!204 = !DILocation(line: 30, column: 9, scope: !179)
!205 = !DILocation(line: 31, column: 9, scope: !179)
!206 = !DILocation(line: 31, column: 14, scope: !179)
!207 = !DILocation(line: 32, column: 5, scope: !179)
!208 = !DILocation(line: 23, column: 29, scope: !175)
!209 = !DILocation(line: 23, column: 5, scope: !175)
!210 = distinct !{!210, !177, !211, !85}
!211 = !DILocation(line: 32, column: 5, scope: !171)
!212 = !DILocation(line: 33, column: 10, scope: !165)
!213 = !DILocation(line: 34, column: 26, scope: !165)
!214 = !DILocation(line: 34, column: 20, scope: !165)
!215 = !DILocation(line: 34, column: 12, scope: !165)
!216 = !DILocation(line: 34, column: 5, scope: !165)
!217 = distinct !DISubprogram(name: "swapped", scope: !3, file: !3, line: 20, type: !218, scopeLine: 20, flags: DIFlagPrototyped, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition, unit: !2, retainedNodes: !53)
!218 = !DISubroutineType(types: !219)
!219 = !{!146, !146}
!220 = !DILocalVariable(name: "pair", arg: 1, scope: !217, file: !3, line: 20, type: !146)
!221 = !DILocation(line: 20, column: 40, scope: !217)
!222 = !DILocation(line: 20, column: 68, scope: !217)
!223 = !DILocation(line: 20, column: 75, scope: !217)
!224 = !DILocation(line: 20, column: 88, scope: !217)
!225 = !DILocation(line: 20, column: 48, scope: !217)
