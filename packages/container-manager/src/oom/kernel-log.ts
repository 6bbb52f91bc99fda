import { constants, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type Clock, sleep } from '@rxlet/component-base';
import { systemErrorCode } from '@rxlet/node-files';
import { kernelMessage } from './parse-oom.ts';

/** Port to the messages of the kernel. */
export interface KernelLog {
  /** Yields new messages until `signal` aborts, which rejects. Rejects when the log cannot be read. */
  follow(signal: AbortSignal): AsyncIterable<string>;
}

/** Options of {@link hostKernelLog}. */
export interface HostKernelLogOptions {
  /** Default `/dev/kmsg`. */
  readonly path?: string;
  /** Pause between two looks at the log: the kernel gives Node.js no notice of new messages. Default five seconds. */
  readonly periodMs?: number;
}

/** Largest record, by the kernel's definition. */
const RECORD_BYTES = 8192;

/** Creates a {@link KernelLog} that reads the log of this machine. */
export function hostKernelLog(
  clock: Clock,
  { path = '/dev/kmsg', periodMs = 5_000 }: HostKernelLogOptions = {},
): KernelLog {
  return {
    async *follow(signal) {
      await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
      const buffer = Buffer.alloc(RECORD_BYTES);
      let isNew = false;
      for (;;) {
        signal.throwIfAborted();
        const record = readRecord(file.fd, buffer);
        if (record !== undefined) {
          if (isNew && record !== '') yield kernelMessage(record);
          continue;
        }
        // The messages before the first pause are from before the start.
        isNew = true;
        await sleep(clock, periodMs, signal);
      }
    },
  };
}

/** Reads one record; `undefined` when there is no more. Does not block, and costs far less than a call through the thread pool for each of thousands of records. */
function readRecord(descriptor: number, buffer: Buffer): string | undefined {
  try {
    const length = readSync(descriptor, buffer, 0, buffer.length, null);
    return length === 0 ? undefined : buffer.toString('utf8', 0, length);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EAGAIN') return undefined;
    // Messages were overwritten before they were read; the next read continues with the oldest one left.
    if (code === 'EPIPE') return '';
    throw error;
  }
}
