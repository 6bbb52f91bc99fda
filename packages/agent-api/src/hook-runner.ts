import type { LifecycleHandler, Pod } from '@rxlet/kube-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Runs postStart and preStop hooks. Without a provider, pods with hooks are rejected. */
export const hookRunner: ServiceKey<HookRunner> = serviceKey('hook runner');

/** Runs lifecycle hooks. A rejection means that the hook failed; its message appears in the pod's events. */
export interface HookRunner {
  postStart(request: LifecycleHookRequest): Promise<void>;
  preStop(request: LifecycleHookRequest): Promise<void>;
}

/** One run of a lifecycle hook. */
export interface LifecycleHookRequest {
  readonly pod: Pod;
  readonly container: string;
  /** Container id of the runtime, without its name. */
  readonly containerId: string;
  readonly handler: LifecycleHandler;
  readonly signal?: AbortSignal | undefined;
}
