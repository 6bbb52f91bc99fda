import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { type MeasuredProcess, startProcess, workspace } from '../child-process.ts';
import { rxletVariants } from '../launcher.ts';

/** Where an agent finds its input, and puts its files. */
export interface AgentFolders {
  /** CRI endpoint, `unix:///…`. */
  readonly endpoint: string;
  /** Folder of the manifests, which the configuration names as well. */
  readonly manifests: string;
  /** Root directory of the agent. */
  readonly root: string;
  /** File with a KubeletConfiguration. */
  readonly config: string;
}

/** Name and version of an agent. */
export interface AgentDescription {
  readonly name: string;
  readonly version: string;
}

/** A program that runs the pods of a manifest folder on a CRI runtime. */
export interface AgentProgram extends AgentDescription {
  start(folders: AgentFolders): MeasuredProcess;
}

const NODE_NAME = 'bench';

/** Returns an address of this machine, if it has one. A kubelet without it looks up its name again and again, for seconds each time where no name server answers. */
function nodeIp(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

/** Returns the agent of this repository: as it was built, if it was, else from source. */
export function ownAgent(): AgentProgram {
  const ip = nodeIp();
  const { name, command } = rxletVariants().at(-1)!;
  const [program = '', ...before] = command;
  const { version } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8')) as { version: string };
  return {
    name: 'rxlet',
    version: `${version}, ${name === 'dist' ? 'as it is installed' : 'from source'}, Node.js ${process.version}`,
    start: ({ endpoint, manifests, root, config }) =>
      startProcess([
        program,
        ...before,
        ...['--container-runtime-endpoint', endpoint, '--root-dir', root, '--config', config],
        ...['--cert-dir', join(root, 'pki'), '--pod-manifest-path', manifests, '--hostname-override', NODE_NAME],
        ...(ip === undefined ? [] : ['--node-ip', ip]),
      ]),
  };
}

/**
 * Returns an agent that a shell command runs. The command finds the folders in the variables `ENDPOINT`, `MANIFESTS`, `ROOT` and `CONFIG`, and an address of the machine in
 * `NODE_IP`, which it should use as that of its node, as this agent does. Its version is what the program prints with `--version`.
 */
export async function externalAgent(command: string): Promise<AgentProgram> {
  const program =
    command
      .trim()
      .split(/\s+/)
      .find((word) => !/^\w+=/.test(word)) ?? '';
  const { stdout } = await promisify(execFile)(program, ['--version'], { timeout: 20_000 }).catch(() => ({
    stdout: 'version unknown',
  }));
  return {
    name: basename(program),
    version: stdout.trim().split('\n')[0] ?? '',
    start: ({ endpoint, manifests, root, config }) =>
      startProcess(['/bin/sh', '-c', `exec ${command}`], {
        ENDPOINT: endpoint,
        MANIFESTS: manifests,
        ROOT: root,
        CONFIG: config,
        NODE_IP: nodeIp() ?? '',
      }),
  };
}
