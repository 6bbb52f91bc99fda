import type { Container, Pod } from '@rxlet/kube-api';
import { podContainers } from '@rxlet/pod-model';
import { AgentConnectionError } from './agent-connection.ts';

const DEFAULT_CONTAINER = 'kubectl.kubernetes.io/default-container';
const KINDS = { regular: '', ephemeral: ' (ephem)', init: ' (init)' } as const;

/**
 * Chooses a container as kubectl does: by its name, by the pod's annotation, or the first one. `warn` receives kubectl's notice about the last choice.
 * @throws AgentConnectionError when the pod has no such container
 */
export function chooseContainer(
  pod: Pod,
  wanted: string | undefined,
  warn: (notice: string) => void,
): Pick<Container, 'name' | 'tty' | 'stdin'> {
  const all = podContainers(pod, ['regular', 'ephemeral', 'init']);
  const listed = all.map(({ kind, container }) => `${container.name}${KINDS[kind]}`).join(', ');
  const name = wanted ?? pod.metadata?.annotations?.[DEFAULT_CONTAINER];
  if (name !== undefined) {
    const found = all.find(({ container }) => container.name === name);
    if (found !== undefined) return found.container;
    const podName = pod.metadata?.name ?? '';
    throw new AgentConnectionError(`container ${name} is not valid for pod ${podName} out of: ${listed}`);
  }
  const [first] = all;
  if (first === undefined)
    throw new AgentConnectionError(`pod ${pod.metadata?.name ?? ''} does not have any containers`);
  if (all.length > 1) warn(`Defaulted container "${first.container.name}" out of: ${listed}`);
  return first.container;
}
