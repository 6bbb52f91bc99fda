/** Labels of sandboxes and containers that identify their pod. */
export const PodLabel = {
  podName: 'io.kubernetes.pod.name',
  podNamespace: 'io.kubernetes.pod.namespace',
  podUid: 'io.kubernetes.pod.uid',
  containerName: 'io.kubernetes.container.name',
} as const;

/** Annotations of containers, which a kubelet writes at creation and reads when the pod's spec is unknown. */
export const ContainerAnnotation = {
  hash: 'io.kubernetes.container.hash',
  restartCount: 'io.kubernetes.container.restartCount',
  terminationMessagePath: 'io.kubernetes.container.terminationMessagePath',
  terminationMessagePolicy: 'io.kubernetes.container.terminationMessagePolicy',
  preStopHandler: 'io.kubernetes.container.preStopHandler',
  ports: 'io.kubernetes.container.ports',
  podDeletionGracePeriod: 'io.kubernetes.pod.deletionGracePeriod',
  podTerminationGracePeriod: 'io.kubernetes.pod.terminationGracePeriod',
} as const;

/** Annotations of pods about their source. */
export const PodAnnotation = {
  configSource: 'kubernetes.io/config.source',
  configSeen: 'kubernetes.io/config.seen',
  configHash: 'kubernetes.io/config.hash',
  configMirror: 'kubernetes.io/config.mirror',
} as const;
