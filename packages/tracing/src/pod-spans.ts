import {
  type Attributes,
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  type Span,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import type { JournalEntry, JournalSink, PodIdentity } from '@rxlet/agent-api/journal';

/** Tracers of {@link createPodSpans}, by their scope. */
export interface PodTracers {
  /** For spans that a kubelet has as well. */
  readonly kubelet: Tracer;
  /** For all others. */
  readonly agent: Tracer;
}

/** The open spans of the node's pods. */
export interface PodSpans {
  /** Makes spans of the entries of a journal. */
  readonly apply: JournalSink;
  /** Returns the context of the innermost open span of a pod, one of the container if there is any; `undefined` when no span is open. */
  contextOf(podUid: string, container?: string): Context | undefined;
  /** Returns the attributes that identify a pod; `undefined` for one that the journal does not have. */
  attributesOf(podUid: string): Attributes | undefined;
  /** Ends all spans, which go on without a trace. */
  end(): void;
}

interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
  readonly container: string | undefined;
}

interface TracedPod extends PodIdentity {
  /** Identity of the span of the pod's life. */
  readonly lifeId: string;
  /** Open spans in the order in which they began. */
  readonly open: Map<string, OpenSpan>;
}

/** The kubelet's names of the phases of a pod. Each is the root of a trace. */
const KUBELET_NAMES: Readonly<Record<string, string>> = {
  'pod.sync': 'syncPod',
  'pod.terminate': 'syncTerminatingPod',
  'pod.clean-up': 'syncTerminatedPod',
};

/** Kind of the span of a pod's life. It lasts for as long as the pod, so that it is no span of a trace, which would be incomplete until then. */
const LIFE = 'pod';

/** Creates {@link PodSpans}. They are bounded by the open spans of the journal. */
export function createPodSpans({ kubelet, agent }: PodTracers): PodSpans {
  const pods = new Map<string, TracedPod>();

  const begin = (entry: Extract<JournalEntry, { type: 'begin' }>): void => {
    const { id, uid, kind, parentId, container, subject, atMs, attributes } = entry;
    if (kind === LIFE) {
      const { namespace = '', name = '' } = entry;
      pods.set(uid, { uid, namespace, name, lifeId: id, open: new Map() });
      return;
    }
    const pod = pods.get(uid);
    if (pod === undefined) return;
    const parent = parentId === undefined ? undefined : pod.open.get(parentId);
    const name = KUBELET_NAMES[kind];
    const span = (name === undefined ? agent : kubelet).startSpan(
      name ?? kind,
      {
        startTime: hrTime(atMs),
        attributes: {
          ...identityAttributes(pod),
          ...(container !== undefined && { 'k8s.container.name': container }),
          ...(subject !== undefined && { 'rxlet.subject': subject }),
          ...ownAttributes(attributes),
        },
      },
      parent?.context ?? ROOT_CONTEXT,
    );
    pod.open.set(id, { span, context: trace.setSpan(ROOT_CONTEXT, span), container });
  };
  const end = ({ id, uid, atMs, outcome, attributes }: Extract<JournalEntry, { type: 'end' }>): void => {
    const pod = pods.get(uid);
    const found = pod?.open.get(id);
    if (pod?.lifeId === id) pods.delete(uid);
    if (pod === undefined || found === undefined) return;
    pod.open.delete(id);
    const { span } = found;
    span.setAttributes(ownAttributes(attributes));
    if (outcome.result !== 'ok') span.setAttribute('rxlet.result', outcome.result);
    if (outcome.result === 'failed') {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        ...(outcome.message !== undefined && { message: outcome.message }),
      });
      const reason = outcome.reason ?? outcome.code;
      if (reason !== undefined) span.setAttribute('error.type', reason);
    }
    span.end(hrTime(atMs));
  };
  const openOf = (uid: string, parentId: string | undefined): OpenSpan | undefined =>
    parentId === undefined ? undefined : pods.get(uid)?.open.get(parentId);

  return {
    apply(entry) {
      if (entry.type === 'begin') begin(entry);
      else if (entry.type === 'end') end(entry);
      else if (entry.type === 'update')
        pods.get(entry.uid)?.open.get(entry.id)?.span.setAttributes(ownAttributes(entry.attributes));
      else
        openOf(entry.uid, entry.parentId)?.span.addEvent(
          entry.kind,
          ownAttributes(entry.attributes),
          hrTime(entry.atMs),
        );
    },
    contextOf(podUid, container) {
      const open = [...(pods.get(podUid)?.open.values() ?? [])];
      const found =
        open.findLast((span) => container !== undefined && span.container === container) ??
        open.findLast((span) => span.container === undefined);
      return found?.context;
    },
    attributesOf(podUid) {
      const pod = pods.get(podUid);
      return pod && identityAttributes(pod);
    },
    end() {
      for (const { open } of pods.values()) for (const { span } of open.values()) span.end();
      pods.clear();
    },
  };
}

function identityAttributes({ uid, namespace, name }: PodIdentity): Attributes {
  return {
    'k8s.pod.uid': uid,
    'k8s.pod': `${namespace}/${name}`,
    'k8s.pod.name': name,
    'k8s.namespace.name': namespace,
  };
}

/** Returns a time as seconds and nanoseconds: the SDK takes a number before the start of the process for a time since then. */
function hrTime(epochMs: number): HrTime {
  const seconds = Math.floor(epochMs / 1000);
  return [seconds, Math.round((epochMs - seconds * 1000) * 1e6)];
}

function ownAttributes(attributes: Readonly<Record<string, string | number | boolean>> = {}): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [`rxlet.${name}`, value]));
}
