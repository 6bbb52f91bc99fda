/** Labels of this package on Docker's containers. The first four are dockershim's and cri-dockerd's. */
export const DockerLabel = {
  type: 'io.kubernetes.docker.type',
  sandboxId: 'io.kubernetes.sandbox.id',
  logPath: 'io.kubernetes.container.logpath',
  /** Shown by `docker ps`; other programs find sandboxes by it. */
  containerName: 'io.kubernetes.container.name',
  /** Name of the runtime handler of a sandbox. */
  runtimeHandler: 'io.rxlet.docker.runtime-handler',
  /** JSON list of the labels that Docker added from the image. */
  imageLabels: 'io.rxlet.docker.image-labels',
} as const;

/** Kinds of Docker's containers, values of {@link DockerLabel.type}. */
export type DockerType = 'podsandbox' | 'container';

/** Name of the container in a sandbox, for other programs. */
export const SANDBOX_CONTAINER_NAME = 'POD';

const ANNOTATION = 'annotation.';
const OWN: ReadonlySet<string> = new Set([
  DockerLabel.type,
  DockerLabel.sandboxId,
  DockerLabel.logPath,
  DockerLabel.runtimeHandler,
  DockerLabel.imageLabels,
]);

/** Labels and annotations of the CRI. */
export interface Metadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Returns Docker's labels: the labels as they are, annotations with a prefix, and `own`. */
export function toDockerLabels(
  { labels, annotations }: Metadata,
  own: Readonly<Record<string, string>>,
  imageLabels: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const prefixed = Object.entries(annotations).map(([key, value]) => [ANNOTATION + key, value]);
  const all: Record<string, string> = { ...labels, ...(Object.fromEntries(prefixed) as typeof labels), ...own };
  const inherited = Object.keys(imageLabels).filter((key) => !(key in all));
  if (inherited.length > 0) all[DockerLabel.imageLabels] = JSON.stringify(inherited);
  return all;
}

/** Returns the labels and annotations of the CRI from Docker's labels. */
export function fromDockerLabels(dockerLabels: Readonly<Record<string, string>> | null): {
  labels: Record<string, string>;
  annotations: Record<string, string>;
} {
  const labels: Record<string, string> = {};
  const annotations: Record<string, string> = {};
  const inherited = new Set(listOf(dockerLabels?.[DockerLabel.imageLabels]));
  const isSandbox = dockerLabels?.[DockerLabel.type] === 'podsandbox';
  for (const [key, value] of Object.entries(dockerLabels ?? {})) {
    if (OWN.has(key) || inherited.has(key)) continue;
    if (isSandbox && key === DockerLabel.containerName && value === SANDBOX_CONTAINER_NAME) continue;
    if (key.startsWith(ANNOTATION)) annotations[key.slice(ANNOTATION.length)] = value;
    else labels[key] = value;
  }
  return { labels, annotations };
}

function listOf(json: string | undefined): readonly string[] {
  try {
    const list: unknown = JSON.parse(json ?? '[]');
    return Array.isArray(list) ? list.filter((key) => typeof key === 'string') : [];
  } catch {
    return [];
  }
}
