import type { LinuxContainerSecurityContext } from '@rxlet/cri-api';

/** Names of the capabilities, each at the position of its bit. */
const NAMES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'DAC_READ_SEARCH',
  'FOWNER',
  'FSETID',
  'KILL',
  'SETGID',
  'SETUID',
  'SETPCAP',
  'LINUX_IMMUTABLE',
  'NET_BIND_SERVICE',
  'NET_BROADCAST',
  'NET_ADMIN',
  'NET_RAW',
  'IPC_LOCK',
  'IPC_OWNER',
  'SYS_MODULE',
  'SYS_RAWIO',
  'SYS_CHROOT',
  'SYS_PTRACE',
  'SYS_PACCT',
  'SYS_ADMIN',
  'SYS_BOOT',
  'SYS_NICE',
  'SYS_RESOURCE',
  'SYS_TIME',
  'SYS_TTY_CONFIG',
  'MKNOD',
  'LEASE',
  'AUDIT_WRITE',
  'AUDIT_CONTROL',
  'SETFCAP',
  'MAC_OVERRIDE',
  'MAC_ADMIN',
  'SYSLOG',
  'WAKE_ALARM',
  'BLOCK_SUSPEND',
  'AUDIT_READ',
  'PERFMON',
  'BPF',
  'CHECKPOINT_RESTORE',
] as const;

/** Name of a capability without its prefix `CAP_`. */
export type Capability = (typeof NAMES)[number];

/** Capabilities of containers that ask for none: those of containerd and CRI-O. */
const DEFAULTS: readonly Capability[] = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FSETID',
  'FOWNER',
  'MKNOD',
  'NET_RAW',
  'SETGID',
  'SETUID',
  'SETFCAP',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
  'KILL',
  'AUDIT_WRITE',
];

/** Capability sets of a process. */
export interface CapabilitySets {
  readonly inheritable: ReadonlySet<string>;
  readonly permitted: ReadonlySet<string>;
  readonly effective: ReadonlySet<string>;
  readonly bounding: ReadonlySet<string>;
  readonly ambient: ReadonlySet<string>;
}

/**
 * Returns the capability sets of a container's processes: the default ones, or all of a privileged container, with those added and without those dropped. `ALL` is
 * applied first. A user other than root has the ambient ones only, but the bounding set is the same. Unknown names are ignored, as by runc.
 */
export function capabilitySets(context: LinuxContainerSecurityContext | undefined, uid: bigint): CapabilitySets {
  const { addCapabilities = [], dropCapabilities = [], addAmbientCapabilities = [] } = context?.capabilities ?? {};
  const added = [...addCapabilities, ...addAmbientCapabilities].map(plainName);
  const dropped = dropCapabilities.map(plainName);
  const start = dropped.includes('ALL') && !added.includes('ALL') ? [] : DEFAULTS;
  const all = context?.privileged === true || added.includes('ALL');
  const bounding = new Set<string>(all ? NAMES : start);
  for (const name of added) if (isCapability(name)) bounding.add(name);
  if (context?.privileged !== true) for (const name of dropped) bounding.delete(name);
  const ambient = new Set(addAmbientCapabilities.map(plainName).filter((name) => bounding.has(name)));
  const own = uid === 0n ? bounding : ambient;
  return { inheritable: ambient, permitted: own, effective: own, bounding, ambient };
}

/** Formats a set as `/proc/<pid>/status` does: 16 hex digits. */
export function formatCapabilities(set: ReadonlySet<string>): string {
  const bits = NAMES.reduce((sum, name, bit) => (set.has(name) ? sum | (1n << BigInt(bit)) : sum), 0n);
  return bits.toString(16).padStart(16, '0');
}

function isCapability(name: string): name is Capability {
  return (NAMES as readonly string[]).includes(name);
}

function plainName(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}
