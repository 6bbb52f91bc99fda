import type { Container, EphemeralContainer, LifecycleHandler, Pod } from '@rxlet/kube-api';
import { ContainerAnnotation, PodLabel } from '@rxlet/pod-model';
import { containerHash, goJson } from '@rxlet/pod-model/hash';

/** Returns the labels of a sandbox: the pod's own labels, and its identity. */
export function sandboxLabels(pod: Pod): Record<string, string> {
  return { ...pod.metadata?.labels, ...identityLabels(pod) };
}

/** Returns the labels of a container, which identify its pod and its name. */
export function containerLabels(pod: Pod, containerName: string): Record<string, string> {
  return { ...identityLabels(pod), [PodLabel.containerName]: containerName };
}

/** Returns the annotations of a container. With them it can be stopped and replaced correctly without its pod's definition. */
export function containerAnnotations(
  pod: Pod,
  container: Container | EphemeralContainer,
  restartCount: number,
): Record<string, string> {
  const { deletionGracePeriodSeconds } = pod.metadata ?? {};
  const { terminationGracePeriodSeconds } = pod.spec!;
  return {
    [ContainerAnnotation.hash]: containerHash(container),
    [ContainerAnnotation.restartCount]: String(restartCount),
    [ContainerAnnotation.terminationMessagePath]: container.terminationMessagePath ?? '',
    [ContainerAnnotation.terminationMessagePolicy]: container.terminationMessagePolicy ?? '',
    ...(deletionGracePeriodSeconds !== undefined && {
      [ContainerAnnotation.podDeletionGracePeriod]: String(deletionGracePeriodSeconds),
    }),
    ...(terminationGracePeriodSeconds !== undefined && {
      [ContainerAnnotation.podTerminationGracePeriod]: String(terminationGracePeriodSeconds),
    }),
    ...(container.lifecycle?.preStop !== undefined && {
      [ContainerAnnotation.preStopHandler]: goJson(handlerInOrder(container.lifecycle.preStop)),
    }),
    ...((container.ports ?? []).length > 0 && { [ContainerAnnotation.ports]: goJson(portsInOrder(container)) }),
  };
}

/** Returns the handler with the kubelet's order of fields, so that the annotation equals the kubelet's. */
function handlerInOrder({ exec, httpGet, tcpSocket, sleep }: LifecycleHandler): object {
  return {
    exec: exec && { command: nonEmptyList(exec.command) },
    httpGet: httpGet && {
      path: httpGet.path || undefined,
      port: httpGet.port,
      host: httpGet.host || undefined,
      scheme: httpGet.scheme || undefined,
      httpHeaders: nonEmptyList(httpGet.httpHeaders)?.map(({ name, value }) => ({ name, value })),
    },
    tcpSocket: tcpSocket && { port: tcpSocket.port, host: tcpSocket.host || undefined },
    sleep: sleep && { seconds: sleep.seconds },
  };
}

function nonEmptyList<T>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list?.length === 0 ? undefined : list;
}

/** Returns the ports with the kubelet's order of fields. */
function portsInOrder(container: Container | EphemeralContainer): object[] {
  return (container.ports ?? []).map(({ name, hostPort, containerPort, protocol, hostIP }) => ({
    ...(name !== undefined && name !== '' && { name }),
    ...(hostPort !== undefined && hostPort !== 0 && { hostPort }),
    containerPort,
    ...(protocol !== undefined && { protocol }),
    ...(hostIP !== undefined && hostIP !== '' && { hostIP }),
  }));
}

function identityLabels(pod: Pod): Record<string, string> {
  const { name = '', namespace = '', uid = '' } = pod.metadata ?? {};
  return { [PodLabel.podName]: name, [PodLabel.podNamespace]: namespace, [PodLabel.podUid]: uid };
}
