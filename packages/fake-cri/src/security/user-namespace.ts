import { type IDMapping, NamespaceMode, ServiceError, StatusCode, type UserNamespace } from '@rxlet/cri-api';

/**
 * Checks the user namespace of a sandbox by the rules of containerd: the node's without mappings, or one of the pod with a single mapping of users and of groups, which
 * must include root. Throws InvalidArgument, for which containerd's code is Unknown.
 */
export function checkUserNamespace(userns: UserNamespace | undefined): void {
  if (userns === undefined) return;
  const { mode, uids, gids } = userns;
  checkMapping('UID', uids);
  checkMapping('GID', gids);
  const name = NamespaceMode[mode] ?? String(mode);
  if (mode === NamespaceMode.NODE) {
    if (uids.length + gids.length === 0) return;
    const counts = `${String(uids.length)} UID mappings and ${String(gids.length)} GID mappings`;
    throw invalid(`can't use user namespace mode "${name}" with mappings. Got ${counts}`);
  }
  if (mode !== NamespaceMode.POD) throw invalid(`unsupported user namespace mode: "${name}"`);
  if (uids.length === 0 || gids.length === 0)
    throw invalid(`can't use user namespace mode "${name}" without UID and GID mappings`);
}

/** Returns `/proc/<pid>/uid_map` or `gid_map`; without mappings that of the initial namespace. */
export function formatIdMap(mappings: readonly IDMapping[]): string {
  const all = { containerId: 0, hostId: 0, length: 0xffff_ffff };
  return (mappings.length === 0 ? [all] : mappings)
    .map(({ containerId, hostId, length }) => `${[containerId, hostId, length].map(column).join(' ')}\n`)
    .join('');
}

function checkMapping(kind: 'UID' | 'GID', mappings: readonly IDMapping[]): void {
  if (mappings.length > 1)
    throw invalid(`${kind} mapping: only one mapping line supported, got ${String(mappings.length)} mapping lines`);
  for (const { containerId, length } of mappings) {
    if (length < 1) throw invalid(`${kind} mapping: invalid mapping length: ${String(length)}`);
    if (containerId !== 0) throw invalid(`${kind} mapping: container ID 0 is not mapped`);
  }
}

function column(id: number): string {
  return String(id).padStart(10);
}

function invalid(problem: string): ServiceError {
  return new ServiceError(StatusCode.InvalidArgument, `user namespace configuration: ${problem}`);
}
