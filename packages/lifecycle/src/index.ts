export {
  HttpError,
  type HttpErrorReason,
  type HttpGetOptions,
  type HttpGetRequest,
  type HttpGetResponse,
  type HttpPort,
} from './http/http-port.ts';
export { LifecycleHookError, type LifecycleHookErrorReason } from './lifecycle-hook-error.ts';
export {
  createLifecycleHooks,
  type LifecycleHookRequest,
  type LifecycleHooks,
  type LifecycleHooksOptions,
  type LifecycleHooksPorts,
} from './lifecycle-hooks.ts';
export { nodeHttp } from './http/node-http.ts';
