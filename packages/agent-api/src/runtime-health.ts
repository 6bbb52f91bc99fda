import type { CurrentValue } from '@rxlet/component-base/streams';
import type { RuntimeFeatures, RuntimeHandler } from '@rxlet/cri-api';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Health of the container runtime. The core provides it. */
export const runtimeHealth: ServiceKey<RuntimeHealth> = serviceKey('runtime health');

/** Health and abilities of the container runtime, as of its last status (kubelet: runtimeState). */
export interface RuntimeHealth {
  /** Whether the first status request has ended, with or without an answer: only then does {@link RuntimeHealth.problems} report facts. */
  readonly isKnown: CurrentValue<boolean>;
  /** Returns why the node cannot run pods, in the order and the words of the kubelet: runtime, relists, network. Empty when it can. */
  problems(): readonly string[];
  /** Returns the runtime handlers; none before the runtime was ready once. */
  handlers(): readonly RuntimeHandler[];
  /** Returns the runtime's features; `undefined` before the runtime was ready once, and for a runtime that reports none. */
  features(): RuntimeFeatures | undefined;
}
