"""Names that `T` has besides those of the operation table, by place of origin. Nothing is known of
them here but that they exist: a name that is neither here nor in the table is a mistake.

Sources: `tvm.script.parser.tir` of Apache TVM (the names that 0.18 to 0.27 export, more than any one
of them has), and the modules of tile-ai/tilelang-ascend 95acbd7f that `T` and `T.tile` show.
"""

from __future__ import annotations

from typing import Final

_FROM_TVM = """
Add And Assert Bind BitwiseAnd BitwiseNot BitwiseOr BitwiseXor Break Broadcast Buffer
BufferLoad Call CallEffectKind Callable Cast CommReducer ComposeLayout Continue Div
DtypeConstructor EQ Else ExecScope FloatImm FloorDiv FloorMod GE GT If IntImm Iter IterVar LE
LShift LT Layout Let LetAnnotation LetStmt LocalVectorAnnotation Max Min Mod Mul NE Not
Optional Or ProducerLoad Ptr R RShift Ramp Range Reduce Return S SMEMPool ScopeIdDef Select
Shuffle SizeVar StringImm Sub TMEMPool TVMBackendAllocWorkspace TVMBackendFreeWorkspace
TYPE_CHECKING TensorMap Then TileLayout Tuple Var While abs acos acosh add_to_parent address_of
alloc_buffer alloc_cast_frag alloc_scalar alloc_tcgen05_ldst_frag allocate allocate_const
anylist_getitem anylist_resetitem anylist_setitem_call_cpacked anylist_setitem_call_packed arg
asin asinh assume atan atan2 atanh attr axis bf16 bfloat16 bind bitwise_and bitwise_not
bitwise_or bitwise_xor block block_attr block_name_suffix_context bool boolean break_loop
broadcast buffer buffer_decl buffer_proxy buffer_store buffer_var bufferload call_cpacked
call_cpacked_lowered call_extern call_ffi_kernel call_intrin call_kernel call_llvm_intrin
call_llvm_pure_intrin call_packed call_packed_lowered call_pure_extern cast ceil ceildiv
cluster cluster_id clz comm_reducer constexpr continue_loop cooperative_tensor_fill
cooperative_tensor_load cooperative_tensor_multiply_accumulate cooperative_tensor_store
copysign cos cosh create_barriers cta cta_id cta_id_in_cluster cta_id_in_pair cuda decl_buffer
decl_scalar device_entry dp4a end_profile_intrinsic entry env_thread erf evaluate exp exp10
exp2 external_kernel f16 f32 f64 fabs filter float16 float32 float4_e2m1fn float64
float6_e2m3fn float6_e3m2fn float8_e3m4 float8_e4m3 float8_e4m3b11fnuz float8_e4m3fn
float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu floor floordiv floormod fma fmod
frame frame_scope func_attr func_name func_ret get_active_lane_mask grid handle
handle_add_byte_offset hint hypot i16 i32 i64 i8 if_then_else ignore_loop_partition index_map
infinity init inline int16 int32 int64 int8 ir isfinite isinf isnan isnullptr iter_var jit
lane_id launch_thread ldexp let likely llvm_lookup_intrinsic_id local_scalar log log10 log1p
log2 lookup_param macro make_filled_simdgroup_matrix masked_load masked_store match_buffer max
max_value meta_class meta_var metal min min_value mma_fill mma_store nearbyint nextafter nki
nvshmem operation parallel parser popcount pow prefetch preflattened_buffer prim_func
print_buffer ptr ptr_byte_offset ptx ptx_arrive_barrier ptx_arrive_barrier_expect_tx
ptx_commit_group ptx_cp_async ptx_cp_async_barrier ptx_cp_async_bulk
ptx_init_barrier_thread_count ptx_ldmatrix ptx_legacy ptx_mma ptx_mma_sp ptx_wait_barrier
ptx_wait_group q_multiply_shift q_multiply_shift_per_axis ramp reads realize
register_script_namespace reinterpret ret round rsqrt s_tir sblock sblock_alloc_buffer
sblock_attr scalar_wrapper scope_id selector seq_scope serial shared_scalar shift_left
shift_right sigmoid simdgroup_load simdgroup_multiply_accumulate simdgroup_store sin sinh smem
sqrt start_profile_intrinsic static_assert tan tanh target tensormap_encode_tiled thread
thread_binding thread_id thread_id_in_wg thread_return tirx tmem trunc truncdiv truncmod
tvm_access_ptr tvm_bmma_sync tvm_call_cpacked tvm_call_cpacked_lowered tvm_call_packed
tvm_call_packed_lowered tvm_check_return tvm_fill_fragment tvm_global_barrier_kinit
tvm_kernel_replace_point tvm_load_matrix_sync tvm_mfma tvm_mfma_store tvm_mma_sync
tvm_rdna_wmma tvm_rdna_wmma_store tvm_stack_alloca tvm_stack_make_array tvm_stack_make_shape
tvm_storage_sync tvm_store_matrix_sync tvm_struct_get tvm_struct_set tvm_thread_allreduce
tvm_thread_invariant tvm_throw_last_error tvm_tuple tvm_warp_activemask tvm_warp_shuffle
tvm_warp_shuffle_down tvm_warp_shuffle_up tvm_warp_shuffle_xor type_annotation u16 u32 u64 u8
uint16 uint32 uint64 uint8 undef unroll utils var vectorcombine vectorhigh vectorized vectorlow
void vscale warp warp_id warp_id_in_wg warpgroup warpgroup_id webgpu wg wg_reg_tile where
writes
"""

# What the modules of the language import or define besides what they export on purpose.
_FROM_MODULES = """
Any BufferRegion DataType Dict Fragment FragmentBuffer GemmWarpPolicy Integral
KernelLaunchFrame List Literal LocalBuffer PrimExpr ScopeFrame SharedBuffer T Union
WarpSpecializeFrame annotations ascend ascend_tile builtin customize functools
get_block_binding get_block_bindings get_block_extents get_let_value get_thread_extents
has_let_value inspect kernel logical make_node math mem_info_local_var memscope overrides
persistent pipeline proxy reduce_ascend register_func sys threading tir tir_op tvm
"""

# Element types with lanes, such as float16x4.
_LANES = (2, 4, 8, 16, 32, 64)
_SCALARS = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 float8_e4m3fn "
    "float8_e5m2 float4_e2m1fn float8 e4m3_float8 e5m2_float8"
).split()

SCRIPT_NAMES: Final = frozenset(
    {
        *_FROM_TVM.split(),
        *_FROM_MODULES.split(),
        *_SCALARS,
        *(f"{name}x{lanes}" for name in _SCALARS for lanes in _LANES),
    }
)

# The same for T.tile.
TILE_NAMES: Final = frozenset(
    """
Buffer BufferLoad BufferRegion Call IntImm PrimExpr Ramp Range T annotations binary_op deprecated
functools math scalar_op tir unary_op warnings
""".split()
)
