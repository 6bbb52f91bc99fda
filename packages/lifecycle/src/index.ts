export { LifecycleHookError, type LifecycleHookErrorReason } from './lifecycle-hook-error.ts';
export {
  createLifecycleHooks,
  type LifecycleHookRequest,
  type LifecycleHooks,
  type LifecycleHooksOptions,
  type LifecycleHooksPorts,
} from './lifecycle-hooks.ts';
