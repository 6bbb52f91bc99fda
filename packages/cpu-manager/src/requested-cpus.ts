import type { Container, Pod } from '@rxlet/kube-api';
import { isSidecar, podContainers, podQosClass } from '@rxlet/pod-model';
import { cpuMillis } from '@rxlet/pod-model/quantity';
import { hasPodLevelResources } from '@rxlet/pod-model/resources';

/** Returns the number of CPUs that a container gets for itself: its request in a Guaranteed pod, if it is an integer; else 0. */
export function requestedCpus(pod: Pod, { resources }: Container): number {
  if (hasPodLevelResources(pod) || podQosClass(pod) !== 'Guaranteed') return 0;
  const millis = cpuMillis(resources?.requests?.['cpu']);
  return millis % 1000 === 0 ? millis / 1000 : 0;
}

/** Returns the most CPUs that the containers of a pod have for themselves at any one time. */
export function requestedCpusOfPod(pod: Pod): number {
  let sidecars = 0;
  let starting = 0;
  for (const { container } of podContainers(pod, ['init'])) {
    const cpus = requestedCpus(pod, container);
    if (isSidecar(container)) sidecars += cpus;
    else starting = Math.max(starting, sidecars + cpus);
  }
  let regular = 0;
  for (const { container } of podContainers(pod, ['regular'])) regular += requestedCpus(pod, container);
  return Math.max(starting, sidecars + regular);
}
