import type { FileSystem } from '../fs/file-system.ts';
import { createGeneratedFiles } from '../fs/generated-files.ts';
import type { Container } from '../runtime-objects.ts';
import type { RuntimeState } from '../runtime-state.ts';
import { capabilitySets, formatCapabilities } from '../security/capabilities.ts';
import { seccompFilter } from '../security/seccomp.ts';
import { formatIdMap } from '../security/user-namespace.ts';
import { type VisibleProcess, visibleProcesses } from './process-table.ts';
import { commandName, processTitle } from './process-title.ts';

/**
 * Creates the files below `/proc` of a container: `cmdline`, `comm`, `status`, `uid_map` and `gid_map` of the processes that it sees, and the sysctls that its sandbox
 * sets. It says what the container was configured with, and nothing about the machine.
 */
export function createProcFiles(state: RuntimeState, container: Container): FileSystem {
  const { uids = [], gids = [] } =
    container.sandbox.config.linux?.securityContext?.namespaceOptions?.usernsOptions ?? {};
  return createGeneratedFiles(() => {
    const files = new Map<string, () => string>();
    for (const [name, value] of Object.entries(container.sandbox.config.linux?.sysctls ?? {}))
      files.set(`/sys/${name.replaceAll('.', '/')}`, () => `${value}\n`);
    for (const process of visibleProcesses(state, container)) {
      const directory = `/${String(process.pid)}`;
      files.set(`${directory}/cmdline`, () => commandLine(process.argv));
      files.set(`${directory}/comm`, () => `${commandName(process.argv)}\n`);
      files.set(`${directory}/status`, () => status(state, process));
      files.set(`${directory}/uid_map`, () => formatIdMap(uids));
      files.set(`${directory}/gid_map`, () => formatIdMap(gids));
    }
    return files;
  });
}

/** Arguments end with a zero byte each; a title is one text. */
function commandLine(argv: readonly string[]): string {
  const title = processTitle(argv);
  return `${title === argv.join(' ') ? argv.join('\0') : title}\0`;
}

function status(state: RuntimeState, { pid, argv, uid, container }: VisibleProcess): string {
  const context = container?.config.linux?.securityContext;
  const { gid = uid, supplementalGroups = [] } = container?.status.user?.linux ?? {};
  const capabilities = capabilitySets(context, uid);
  const seccomp = seccompFilter(context, state.hostFiles);
  const four = (id: bigint): string => Array.from({ length: 4 }, () => String(id)).join('\t');
  const groups = supplementalGroups.toSorted((a, b) => Number(a - b));
  const fields: readonly (readonly [string, string])[] = [
    ['Name', commandName(argv)],
    ['State', 'S (sleeping)'],
    ['Tgid', String(pid)],
    ['Pid', String(pid)],
    ['PPid', '0'],
    ['Uid', four(uid)],
    ['Gid', four(gid)],
    ['Groups', groups.map((group) => `${String(group)} `).join('')],
    ['CapInh', formatCapabilities(capabilities.inheritable)],
    ['CapPrm', formatCapabilities(capabilities.permitted)],
    ['CapEff', formatCapabilities(capabilities.effective)],
    ['CapBnd', formatCapabilities(capabilities.bounding)],
    ['CapAmb', formatCapabilities(capabilities.ambient)],
    ['NoNewPrivs', String(Number(context?.noNewPrivs === true))],
    ['Seccomp', String(seccomp.mode)],
  ];
  return fields.map(([name, value]) => `${name}:\t${value}\n`).join('');
}
