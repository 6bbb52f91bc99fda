import { sleep } from '@rxlet/component-base';
import { resolvePath } from '../fs/file-system.ts';
import type { Command } from './command.ts';

/** `hostname [NAME]`: setting it, for all containers of the pod, takes the capability SYS_ADMIN and a seccomp filter that allows it. */
const hostname: Command = ([name], context) => {
  if (name === undefined) {
    context.write('stdout', `${context.hostname()}\n`);
    return 0;
  }
  if (!context.isPermitted('SYS_ADMIN', 'sethostname')) {
    context.write('stderr', 'hostname: sethostname: Operation not permitted\n');
    return 1;
  }
  context.setHostname(name);
  return 0;
};

/** `chmod MODE PATH…`: checks whether it may, and changes nothing, because the files have no modes. */
const chmod: Command = ([, ...paths], context) => {
  let status = 0;
  for (const path of paths) {
    const exists = context.files.kind(resolvePath(context.workingDirectory, path)) !== undefined;
    if (exists && context.isPermitted(undefined, 'chmod', 'fchmodat')) continue;
    context.write('stderr', `chmod: ${path}: ${exists ? 'Operation not permitted' : 'No such file or directory'}\n`);
    status = 1;
  }
  return status;
};

/** `brctl show|addbr NAME|delbr NAME`: bridges are names in the network of the pod. Changing them takes the capability NET_ADMIN. */
const brctl: Command = ([action = 'show', name = ''], { bridges, isPermitted, write }) => {
  const fail = (problem: string): number => {
    write('stderr', `brctl: bridge ${name}: ${problem}\n`);
    return 1;
  };
  if (action === 'show') {
    write('stdout', `bridge name\n${[...bridges].map((bridge) => `${bridge}\n`).join('')}`);
    return 0;
  }
  if (name === '' || !['addbr', 'delbr'].includes(action)) return fail(`${action}: bad arguments`);
  if (!isPermitted('NET_ADMIN')) return fail('Operation not permitted');
  if (action === 'delbr') return bridges.delete(name) ? 0 : fail('No such device');
  if (bridges.has(name)) return fail('File exists');
  bridges.add(name);
  return 0;
};

/** `ping [-c COUNT] ADDRESS`, which takes the capability NET_RAW: this machine and pods answer. */
const ping: Command = async (args, { clock, isPermitted, peers, signal, write }) => {
  const counted = args[0] === '-c';
  const count = counted ? Number(args[1]) : Infinity;
  const [host = ''] = counted ? args.slice(2) : args;
  write('stdout', `PING ${host} (${host}): 56 data bytes\n`);
  if (!isPermitted('NET_RAW')) {
    write('stderr', 'ping: permission denied (are you root?)\n');
    return 1;
  }
  const answers = peers.isReachable(host);
  for (let sequence = 0; sequence < count; sequence += 1) {
    if (sequence > 0 || !answers) await sleep(clock, 1000, signal);
    if (answers) write('stdout', `64 bytes from ${host}: seq=${String(sequence)} ttl=64 time=0.050 ms\n`);
  }
  return Number(!answers);
};

/** `ipcs -m`: the segments of shared memory, which exist on the host only. */
const ipcs: Command = (_args, { sharedMemory, write }) => {
  const [, ...segments] = sharedMemory().trim().split('\n');
  const lines = segments.map((segment) => {
    const [key = '', id = '', perms = '', bytes = '', , , attached = '', owner = ''] = segment.trim().split(/\s+/);
    return `0x${Number(key).toString(16).padStart(8, '0')} ${[id, owner, perms, bytes, attached].map((field) => field.padEnd(10)).join(' ')}\n`;
  });
  write(
    'stdout',
    `\n------ Shared Memory Segments --------\nkey        shmid      owner      perms      bytes      nattch\n`,
  );
  write('stdout', `${lines.join('')}\n`);
  return 0;
};

/** `netstat`, whatever its options: the listening TCP ports. */
const netstat: Command = (_args, { peers, write }) => {
  const lines = peers
    .listening()
    .map((address) => `tcp        0      0 ${address.padEnd(23)} 0.0.0.0:*               LISTEN\n`);
  write(
    'stdout',
    `Active Internet connections (only servers)\nProto Recv-Q Send-Q Local Address           Foreign Address         State\n`,
  );
  write('stdout', lines.join(''));
  return 0;
};

/** Commands whose result shows the rights and namespaces of their container. */
export const PRIVILEGED_COMMANDS: readonly (readonly [string, Command])[] = [
  ['hostname', hostname],
  ['chmod', chmod],
  ['brctl', brctl],
  ['ping', ping],
  ['ipcs', ipcs],
  ['netstat', netstat],
];
