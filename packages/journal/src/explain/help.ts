import type { WaitKind } from '@rxlet/agent-api/journal';
import type { JournalSpan } from '../model/life.ts';
import { textOf } from './format.ts';

/** Settings of the node that a remedy may name. */
export interface HelpContext {
  /** KubeletConfiguration; `undefined` when no module pulls images. */
  readonly serializeImagePulls?: boolean | undefined;
  readonly maxParallelImagePulls?: number | undefined;
}

type Help = (span: JournalSpan, context: HelpContext) => readonly string[];

/** Remedies of waits that do not end by themselves, or end later than they must. */
const HELP: Partial<Readonly<Record<WaitKind, Help>>> = {
  'admission.preparation': () => ['the preempted pods end within their grace periods; shorter ones make room sooner'],
  'pod.predecessor': () => ['the earlier pod ends within its grace period; see "rxlet get pods"'],
  'source.ready': () => ['see the problems of the pod sources in "rxlet explain"'],
  'runtime.status': () => ['check that the container runtime answers: crictl pods'],
  'node.runtime': () => ['start the container runtime, and check the value of --container-runtime-endpoint'],
  'node.network': () => ['install a CNI configuration in /etc/cni/net.d, or set hostNetwork: true for this pod'],
  'volume.attach': () => ['the attach/detach controller of the cluster attaches it: see the VolumeAttachment objects'],
  'volume.backoff': volumeHelp,
  'volume.mount': volumeHelp,
  'image.queue': queueHelp,
  'image.backoff': (span) => [
    `check the name of image "${span.subject ?? ''}", the registry, and imagePullSecrets of the pod`,
  ],
  'container.backoff': ({ container = '' }) => [
    `see why it exits: rxlet logs --previous POD -c ${container}`,
    `restart it now: rxlet restart POD -c ${container}`,
  ],
  'container.init': ({ container = '' }) => [`see what it does: rxlet logs POD -c ${container}`],
  'container.startup': probeHelp,
  'container.readiness': probeHelp,
  'pod.readiness-gate': ({ subject = '' }) => [`a controller must set condition "${subject}" in the status of the pod`],
  'resize.deferred': () => ['it is retried when other pods end; an infeasible resize needs smaller requests'],
  'container.stop': ({ container = '' }) => [
    `container "${container}" is killed after its grace period; it may ignore its stop signal`,
  ],
  'container.pre-stop': () => ['the hook counts against the grace period'],
  'pod.delete': () => ['see metadata.finalizers of the pod, and whether the API server is reachable: rxlet explain'],
};

/** Returns what would end a wait sooner. */
export function helpFor(span: JournalSpan, context: HelpContext): readonly string[] {
  return HELP[span.kind as WaitKind]?.(span, context) ?? [];
}

function queueHelp(_span: JournalSpan, { serializeImagePulls, maxParallelImagePulls }: HelpContext): readonly string[] {
  if (serializeImagePulls === true)
    return ['serializeImagePulls is true: one image is pulled at a time; set it to false'];
  return Number.isFinite(maxParallelImagePulls)
    ? [`maxParallelImagePulls is ${String(maxParallelImagePulls)}: raise it`]
    : [];
}

function volumeHelp(span: JournalSpan): readonly string[] {
  switch (textOf(span, 'plugin')) {
    case 'kubernetes.io/configmap':
    case 'kubernetes.io/secret':
    case 'kubernetes.io/projected':
      return ['create the object that the volume names, in the namespace of the pod, or mark it optional'];
    case 'kubernetes.io/host-path':
      return ['check the path and its type on the node'];
    case 'kubernetes.io/csi':
      return ['check that the CSI driver is registered on the node: rxlet debug state'];
    default:
      return [];
  }
}

function probeHelp({ container = '' }: JournalSpan): readonly string[] {
  return [`see the output of the probe: rxlet describe pod POD`, `see what it does: rxlet logs POD -c ${container}`];
}
