export { LifecycleHookError, type LifecycleHookErrorReason } from './lifecycle-hook-error.ts';
export {
  createLifecycleHooks,
  type LifecycleHooks,
  type LifecycleHooksOptions,
  type LifecycleHooksPorts,
} from './lifecycle-hooks.ts';
export { lifecycleHooks, type LifecycleHooksModuleOptions } from './lifecycle-hooks-module.ts';
