import type { Pod } from '@rxlet/kube-api';
import type { RuntimePodStatus } from '@rxlet/pod-model/runtime';
import { type ServiceKey, serviceKey } from './service-key.ts';

/** Reads the termination messages of containers. Without a provider, statuses have the messages of the runtime. */
export const terminationMessages: ServiceKey<TerminationMessages> = serviceKey('termination messages');

/** Completes runtime statuses with what exited containers left as their termination messages. */
export interface TerminationMessages {
  /** Returns the status with the messages of its exited containers. Never rejects: a message names the file that cannot be read. */
  complete(pod: Pod, status: RuntimePodStatus): Promise<RuntimePodStatus>;
}
