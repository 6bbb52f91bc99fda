/** Pod, and container if there is one, that a call of the CRI is about. */
export interface CallSubject {
  readonly podUid: string;
  readonly container?: string | undefined;
}

/** Knows what calls of the CRI are about, from their requests and from earlier answers. */
export interface CallSubjects {
  /** Returns the subject of a request; `undefined` for one that is about no pod, or an unknown one. */
  of(request: Readonly<Record<string, unknown>>): CallSubject | undefined;
  /** Remembers the ids in an answer to a request. */
  learn(request: Readonly<Record<string, unknown>>, answer: Readonly<Record<string, unknown>>): void;
}

/** Ids of sandboxes and containers that are remembered; those beyond have no parent span. */
const CAPACITY = 4096;

interface Labelled {
  readonly id?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Creates {@link CallSubjects}. */
export function createCallSubjects(): CallSubjects {
  const subjects = new Map<string, CallSubject>();
  const remember = (id: unknown, subject: CallSubject | undefined): void => {
    if (typeof id !== 'string' || id === '' || subject === undefined) return;
    subjects.delete(id);
    subjects.set(id, subject);
    if (subjects.size > CAPACITY) subjects.delete(subjects.keys().next().value!);
  };
  const of: CallSubjects['of'] = ({ config, sandboxConfig, containerId, podSandboxId }) => {
    const podUid = uidOf(sandboxConfig) ?? uidOf(config);
    if (podUid !== undefined) {
      const name = sandboxConfig === undefined ? undefined : metadataOf(config)?.['name'];
      return { podUid, ...(typeof name === 'string' && { container: name }) };
    }
    const id = containerId ?? podSandboxId;
    return typeof id === 'string' ? subjects.get(id) : undefined;
  };
  return {
    of,
    learn(request, answer) {
      remember(answer['containerId'] ?? answer['podSandboxId'], of(request));
      for (const list of [answer['containers'], answer['items']]) {
        for (const { id, labels } of Array.isArray(list) ? (list as readonly Labelled[]) : []) {
          const podUid = labels?.['io.kubernetes.pod.uid'];
          if (podUid !== undefined) remember(id, { podUid, container: labels?.['io.kubernetes.container.name'] });
        }
      }
    },
  };
}

function metadataOf(config: unknown): Readonly<Record<string, unknown>> | undefined {
  return (config as { readonly metadata?: Readonly<Record<string, unknown>> } | undefined)?.metadata;
}

function uidOf(config: unknown): string | undefined {
  const uid = metadataOf(config)?.['uid'];
  return typeof uid === 'string' && uid !== '' ? uid : undefined;
}
