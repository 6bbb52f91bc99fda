import type { RuntimeFeatures, RuntimeHandler } from '@rxlet/cri-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Health of the container runtime. The core provides it. */
export const runtimeHealth: ServiceKey<RuntimeHealth> = serviceKey('runtime health');

/** Health and abilities of the container runtime, as of its last status (kubelet: runtimeState). */
export interface RuntimeHealth {
  /** Resolves when the runtime has been asked once, whatever came of it: `problems` are facts from then on. Rejects when `signal` aborts. */
  known(signal: AbortSignal): Promise<void>;
  /** Returns why the node cannot run pods, in the order and the words of the kubelet: runtime, relists, network. Empty when it can. */
  problems(): readonly string[];
  /** Returns the runtime handlers; none before the runtime was ready once. */
  handlers(): readonly RuntimeHandler[];
  /** Returns the runtime's features; `undefined` before the runtime was ready once, and for a runtime that reports none. */
  features(): RuntimeFeatures | undefined;
}
