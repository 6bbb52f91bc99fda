import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Event, Pod } from '@rxlet/kube-api';
import { connectToAgent } from '../commands/agent-connection.ts';
import { socketPath } from '../config/standard-places.ts';

const RXLET = fileURLToPath(new URL('../../bin/rxlet', import.meta.url));

/** Directories and files of an agent under test, all below one directory. */
export interface AgentFolders {
  readonly root: string;
  readonly manifests: string;
  readonly podLogs: string;
  readonly config: string;
  /** Program and arguments that run the agent elsewhere, such as `enter` of a private machine. Default: none. */
  readonly enter?: readonly string[] | undefined;
}

/** Makes the folders, and a configuration that keeps everything below `folder`, with further fields of a KubeletConfiguration if given. */
export async function makeAgentFolders(folder: string, kubelet: object = {}): Promise<AgentFolders> {
  const folders = {
    root: join(folder, 'root'),
    manifests: join(folder, 'manifests'),
    podLogs: join(folder, 'pod-logs'),
    config: join(folder, 'kubelet.yaml'),
  };
  await mkdir(folders.manifests, { recursive: true });
  const config = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    podLogsDir: folders.podLogs,
    // Agents that run at the same time must not manage the same cgroups.
    cgroupsPerQOS: false,
    enforceNodeAllocatable: ['none'],
    // Nor listen on the same ports.
    enableServer: false,
    ...kubelet,
  };
  await writeFile(folders.config, JSON.stringify(config));
  return folders;
}

/** An agent as its users run it: a process of its own, from its command. */
export interface AgentProcess extends AsyncDisposable {
  readonly pid: number;
  /** Output so far. */
  readonly output: () => string;
  /** Sends a signal. */
  send(signal: NodeJS.Signals): void;
  /** Sends a signal and waits for the end. @returns the exit code, or the signal that ended it */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>;
  /** The pods as the agent shows them; empty while it does not answer. */
  pods(): Promise<readonly Pod[]>;
  events(): Promise<readonly Event[]>;
  /** Runs another command against this agent. */
  command(...args: string[]): Promise<CommandResult>;
}

/** Output and exit code of a command. */
export interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Starts an agent; disposing of it ends it with SIGTERM. */
export function startAgent({ root, manifests, config, enter = [] }: AgentFolders, ...flags: string[]): AgentProcess {
  const [program = '', ...args] = [
    ...enter,
    RXLET,
    '--config',
    config,
    '--root-dir',
    root,
    '--pod-manifest-path',
    manifests,
    '--hostname-override',
    'node1',
    ...flags,
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = exitOf(child);
  const connection = connectToAgent(socketPath(root));
  const items = async <T>(path: string): Promise<readonly T[]> =>
    ((await connection.getJson(path).catch(() => ({ items: [] }))) as { items: readonly T[] }).items;
  return {
    pid: child.pid!,
    output: () => output,
    send: (signal) => void child.kill(signal),
    end(signal) {
      child.kill(signal);
      return ended;
    },
    pods: () => items('/pods'),
    events: () => items('/events'),
    command: (...commandArgs) => runRxlet(...commandArgs, '--root-dir', root),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Runs `rxlet` to its end. */
export async function runRxlet(...args: string[]): Promise<CommandResult> {
  return runProgram(RXLET, args);
}

/** Runs a line of a shell in which `rxlet` is a command, with `RXLET_ROOT` set. */
export async function runShellLine(line: string, rootDirectory: string): Promise<CommandResult> {
  const env = { ...process.env, RXLET_ROOT: rootDirectory, PATH: `${dirname(RXLET)}:${process.env['PATH'] ?? ''}` };
  return runProgram('bash', ['-c', line], env);
}

async function runProgram(program: string, args: readonly string[], env = process.env): Promise<CommandResult> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
  await exitOf(child);
  return { stdout, stderr, exitCode: child.exitCode };
}

function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal ?? 0)));
}
