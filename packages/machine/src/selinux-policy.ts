import { type HostFiles, UnsafeFileError } from '@rxlet/node-files';

/** SELinux of a node where it is enabled. */
export interface SeLinuxPolicy {
  /** Context of the files of containers, such as `system_u:object_r:container_file_t:s0`; empty when the policy has none. */
  readonly fileContext: string;
}

const MAX_BYTES = 16 * 1024 * 1024;
const CONTAINER_CONTEXTS = '/usr/share/containers/selinux/contexts';

/** Reads whether SELinux is enabled, and the contexts of its policy; `undefined` on a node without it. */
export async function readSeLinuxPolicy(hostFiles: Pick<HostFiles, 'read'>): Promise<SeLinuxPolicy | undefined> {
  const read = (path: string): Promise<string | undefined> => readText(hostFiles, path);
  const current = await read('/proc/self/attr/current');
  if (!isSeLinuxEnabled((await read('/proc/self/mountinfo')) ?? '', current ?? '')) return undefined;
  const policyType = valueOf((await read('/etc/selinux/config')) ?? '', 'SELINUXTYPE') ?? 'targeted';
  const policyContexts = `/etc/selinux/${encodeURIComponent(policyType)}/contexts/lxc_contexts`;
  const contexts = (await read(CONTAINER_CONTEXTS)) ?? (await read(policyContexts)) ?? '';
  return { fileContext: valueOf(contexts, 'file') ?? '' };
}

/**
 * Reports whether SELinux is enabled: its file system is mounted writable, and a policy is loaded, so that processes have contexts.
 *
 * @param mountInfo content of `/proc/self/mountinfo`
 * @param current context of this process
 */
export function isSeLinuxEnabled(mountInfo: string, current: string): boolean {
  const isMounted = mountInfo.split('\n').some((line) => {
    const [mount = '', fileSystem = ''] = line.split(' - ');
    const options = mount.split(' ')[OPTIONS]?.split(',') ?? [];
    return fileSystem.startsWith('selinuxfs ') && options.includes('rw');
  });
  return isMounted && current.replace(/[\0\s]+$/, '') !== 'kernel';
}

/** Index of the options among the fields of a mount. */
const OPTIONS = 5;

/** Returns a value of a file of lines `key = "value"`. */
function valueOf(text: string, key: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([^;#=\s][^=]*?)\s*=\s*"?(.*?)"?\s*$/.exec(line) ?? [];
    if (name === key) return value;
  }
  return undefined;
}

/** Files of the kernel have no size, and those of SELinux cannot be read on every kernel. */
async function readText(hostFiles: Pick<HostFiles, 'read'>, path: string): Promise<string | undefined> {
  try {
    const file = await hostFiles.read(path, MAX_BYTES);
    return file && Buffer.from(file.bytes).toString();
  } catch (error) {
    if (error instanceof UnsafeFileError) throw error;
    return undefined;
  }
}
