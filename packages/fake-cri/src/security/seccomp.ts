import { type LinuxContainerSecurityContext, SecurityProfile_ProfileType } from '@rxlet/cri-api';
import type { HostFiles } from '../fs/host-files.ts';
import { parentOf } from '../fs/file-system.ts';

/** Seccomp filter of a container's processes. */
export interface SeccompFilter {
  /** As in `/proc/<pid>/status`: 0 without a filter, otherwise 2. */
  readonly mode: 0 | 2;
  allows(syscall: string): boolean;
}

const UNCONFINED: SeccompFilter = { mode: 0, allows: () => true };
/** The runtime's default profile allows the few calls that the fake asks for. */
const RUNTIME_DEFAULT: SeccompFilter = { mode: 2, allows: () => true };
const ALLOWING_ACTIONS: ReadonlySet<unknown> = new Set(['SCMP_ACT_ALLOW', 'SCMP_ACT_LOG']);

/**
 * Returns the seccomp filter of a container: none without a profile and for a privileged one, as in containerd. A localhost profile is read from the host's files; one
 * that cannot be read or parsed denies nothing.
 */
export function seccompFilter(context: LinuxContainerSecurityContext | undefined, hostFiles: HostFiles): SeccompFilter {
  const profile = context?.seccomp;
  if (profile === undefined || context?.privileged === true) return UNCONFINED;
  if (profile.profileType === SecurityProfile_ProfileType.Unconfined) return UNCONFINED;
  if (profile.profileType === SecurityProfile_ProfileType.RuntimeDefault) return RUNTIME_DEFAULT;
  const denied = deniedSyscalls(profile.localhostRef, hostFiles);
  return { mode: 2, allows: (syscall) => !denied(syscall) };
}

function deniedSyscalls(path: string, hostFiles: HostFiles): (syscall: string) => boolean {
  let profile: unknown;
  if (!path.startsWith('/')) return () => false;
  try {
    profile = JSON.parse(hostFiles.open(parentOf(path)).read(path.slice(path.lastIndexOf('/'))));
  } catch {
    return () => false;
  }
  const { defaultAction, syscalls } = objectOf(profile);
  const rules = Array.isArray(syscalls) ? syscalls.map(objectOf) : [];
  return (syscall) => {
    const rule = rules.find(({ names }) => Array.isArray(names) && names.includes(syscall));
    return !ALLOWING_ACTIONS.has(rule === undefined ? defaultAction : rule['action']);
  };
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
