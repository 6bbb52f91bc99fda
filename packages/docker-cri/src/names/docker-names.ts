/** Beginning of the names of all containers of Kubernetes in Docker. */
const PREFIX = 'k8s';
/** Container name of sandboxes. */
const SANDBOX = 'POD';

/** Identity of a sandbox. */
export interface SandboxName {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
}

/** Identity of a container: its own name and attempt, and its pod. */
export interface ContainerName {
  readonly container: string;
  readonly attempt: number;
  readonly pod: Omit<SandboxName, 'attempt'>;
}

/** Returns `k8s_POD_<pod>_<namespace>_<uid>_<attempt>`. */
export function formatSandboxName({ name, namespace, uid, attempt }: SandboxName): string {
  return [PREFIX, SANDBOX, name, namespace, uid, String(attempt)].join('_');
}

/** Returns `k8s_<container>_<pod>_<namespace>_<uid>_<attempt>`. */
export function formatContainerName({ container, attempt, pod }: ContainerName): string {
  return [PREFIX, container, pod.name, pod.namespace, pod.uid, String(attempt)].join('_');
}

/** Parses the name of a sandbox; `undefined` for other names. */
export function parseSandboxName(text: string): SandboxName | undefined {
  const parsed = parseContainerName(text);
  return parsed?.container === SANDBOX ? { ...parsed.pod, attempt: parsed.attempt } : undefined;
}

/** Parses the name of a container, with or without a slash before it and a random suffix behind it; `undefined` for other names. */
export function parseContainerName(text: string): ContainerName | undefined {
  const parts = text.replace(/^\//, '').split('_');
  const [prefix, container, name, namespace, uid, attempt] = parts;
  if (prefix !== PREFIX || parts.length < 6 || parts.length > 7 || !/^\d+$/.test(attempt!)) return undefined;
  return { container: container!, attempt: Number(attempt), pod: { name: name!, namespace: namespace!, uid: uid! } };
}

/** Returns a name besides one that Docker still reserves for a container that does not exist. */
export function withSuffix(name: string, suffix: string): string {
  return `${name}_${suffix}`;
}
