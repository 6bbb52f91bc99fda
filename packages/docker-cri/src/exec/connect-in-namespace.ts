import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * Program that connects to a port of its network namespace, passes standard input and output on, and writes a byte to descriptor 3 once it is connected.
 */
const PROGRAM = `
  const { createWriteStream, writeSync } = require('node:fs');
  const socket = require('node:net').connect({ port: Number(process.argv[1]), host: 'localhost', allowHalfOpen: true });
  // Unlike process.stdout, it is closed at the end.
  const output = createWriteStream(null, { fd: 1 });
  const end = () => process.exit(0);
  socket.once('connect', () => {
    writeSync(3, 'c');
    process.stdin.pipe(socket);
    socket.pipe(output);
  });
  socket.once('error', (error) => {
    process.stderr.write(error.message || String(error.errors?.[0]?.message));
    process.exit(1);
  });
  process.stdin.on('error', () => socket.destroy());
  output.on('error', () => socket.destroy());
  socket.once('close', () => output.end());
  output.once('close', () => (socket.destroyed ? end() : socket.once('close', end)));
`;

/** Connects to a port of localhost in the network namespace of a process. Node cannot enter a namespace itself, so that each connection has a helper process. */
export async function connectInNamespace(pid: number, port: number): Promise<Duplex> {
  const args = [`--net=/proc/${String(pid)}/ns/net`, process.execPath, '--eval', PROGRAM, String(port)];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] });
  // A child that cannot be spawned has no streams when all descriptors are in use.
  await once(child, 'spawn');
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const connected = child.stdio[3]!;
  connected.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    connected.once('data', () => resolve());
    child.once('error', reject);
    child.once('close', () => reject(new Error(stderr.trim() || 'the connection has failed')));
  });
  const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin });
  duplex.once('close', () => child.kill('SIGKILL'));
  return duplex;
}

/** Connects to a port of localhost on the host. */
export async function connectOnHost(port: number): Promise<Duplex> {
  const socket = connect({ port, host: 'localhost', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}
