import type { AdmissionRejection } from '@rxlet/agent-api';
import { goQuote } from '@rxlet/component-base/go';
import type { Pod } from '@rxlet/kube-api';

type Namespace = 'IPC' | 'Net';

/** Kernel parameters that a pod may set. */
export interface SysctlAllowlist {
  /** Returns why the pod is rejected; `undefined` when it sets allowed parameters only. */
  reject(pod: Pod): AdmissionRejection | undefined;
}

/** Options of {@link createSysctlAllowlist}. */
export interface SysctlOptions {
  /** Names, and prefixes with a final `*`, that are allowed beside the safe ones (KubeletConfiguration `allowedUnsafeSysctls`). */
  readonly allowedUnsafeSysctls?: readonly string[] | undefined;
  /** Version of the kernel, such as `6.1.0-18-amd64`. */
  readonly kernelVersion: string;
}

/** Parameters that do not affect other pods, and the first kernel that keeps them in a namespace. */
const SAFE_SYSCTLS: readonly (readonly [name: string, kernel?: readonly [number, number]])[] = [
  ['kernel.shm_rmid_forced'],
  ['net.ipv4.ip_local_port_range'],
  ['net.ipv4.tcp_syncookies'],
  ['net.ipv4.ping_group_range'],
  ['net.ipv4.ip_unprivileged_port_start'],
  ['net.ipv4.ip_local_reserved_ports', [3, 16]],
  ['net.ipv4.tcp_keepalive_time', [4, 5]],
  ['net.ipv4.tcp_fin_timeout', [4, 6]],
  ['net.ipv4.tcp_keepalive_intvl', [4, 5]],
  ['net.ipv4.tcp_keepalive_probes', [4, 5]],
  ['net.ipv4.tcp_rmem', [4, 15]],
  ['net.ipv4.tcp_wmem', [4, 15]],
];

const NAMESPACED_PREFIXES: readonly (readonly [prefix: string, namespace: Namespace])[] = [
  ['kernel.shm', 'IPC'],
  ['kernel.msg', 'IPC'],
  ['fs.mqueue.', 'IPC'],
  ['net.', 'Net'],
];

const MAX_PATTERN_LENGTH = 253;
/** Segments separated by `.` or `/`; the last one may end with `*`. */
const PATTERN_TEXT = String.raw`([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\./])*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`;
const PATTERN = new RegExp(`^${PATTERN_TEXT}$`);

/**
 * Creates the list of kernel parameters that pods may set: the safe ones and those given.
 *
 * @throws TypeError for a pattern that is malformed, or whose parameters are not known to be kept in a namespace
 */
export function createSysctlAllowlist({ allowedUnsafeSysctls = [], kernelVersion }: SysctlOptions): SysctlAllowlist {
  const names = new Map<string, Namespace>();
  const prefixes: (readonly [prefix: string, namespace: Namespace])[] = [];
  for (const [name, kernel] of SAFE_SYSCTLS)
    if (kernel === undefined || isAtLeast(kernelVersion, kernel)) names.set(name, namespaceOf(name)!);
  for (const pattern of allowedUnsafeSysctls) {
    if (pattern.length > MAX_PATTERN_LENGTH || !PATTERN.test(pattern)) {
      const rule = `must have at most ${String(MAX_PATTERN_LENGTH)} characters and match regex ${PATTERN_TEXT}`;
      throw new TypeError(`sysctl ${goQuote(pattern)} ${rule}`);
    }
    const name = normalizeName(pattern);
    const isPrefix = name.endsWith('*');
    const start = isPrefix ? name.slice(0, -1) : name;
    const namespace = namespaceOf(start);
    if (namespace === undefined) throw new TypeError(`the sysctls ${goQuote(start)} are not known to be namespaced`);
    if (isPrefix) prefixes.push([start, namespace]);
    else names.set(start, namespace);
  }

  const problemOf = (sysctl: string, pod: Pod): string | undefined => {
    const name = normalizeName(sysctl);
    const namespace = names.get(name) ?? prefixes.find(([prefix]) => name.startsWith(prefix))?.[1];
    if (namespace === undefined) return `${goQuote(name)} not allowlisted`;
    const isOfHost = namespace === 'IPC' ? pod.spec?.hostIPC : pod.spec?.hostNetwork;
    return isOfHost === true ? `${goQuote(name)} not allowed with host ${namespace} enabled` : undefined;
  };
  return {
    reject(pod) {
      for (const { name } of pod.spec?.securityContext?.sysctls ?? []) {
        const problem = problemOf(name, pod);
        if (problem !== undefined) return { reason: 'SysctlForbidden', message: `forbidden sysctl: ${problem}` };
      }
      return undefined;
    },
  };
}

function namespaceOf(name: string): Namespace | undefined {
  if (name === 'kernel.sem') return 'IPC';
  return NAMESPACED_PREFIXES.find(([prefix]) => name.startsWith(prefix))?.[1];
}

/** Returns a name with dots as separators. In a name that is separated by slashes, a dot is part of a segment, such as that of the interface `eth0.1`. */
function normalizeName(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  return separator === '/' ? name.replace(/[./]/g, (found) => (found === '/' ? '.' : '/')) : name;
}

/** Reports whether a kernel's version is at least the given one. Nothing is known of a kernel without a version. */
function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const match = /^\s*v?(\d+)\.(\d+)/.exec(version);
  if (match === null) return false;
  const found = Number(match[1]);
  return found > major || (found === major && Number(match[2]) >= minor);
}
