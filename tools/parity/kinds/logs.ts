import { createVirtualClock } from '@rxlet/component-base/testing';
import { LogReadError, readContainerLog } from '@rxlet/container-logs';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import type { Answer } from '../vector-kind.ts';

interface LogVector {
  readonly input: {
    readonly file: string;
    readonly options: {
      readonly tailLines?: number;
      readonly limitBytes?: number;
      readonly sinceTime?: string;
      readonly timestamps?: boolean;
    };
  };
  readonly want: LogText;
}

interface LogText {
  readonly stdout: string;
  readonly stderr: string;
  /** Reading ended in an error after that output. */
  readonly error?: boolean;
}

const LOG = '/logs/0.log';

/** The log of a container that has ended, read with options. */
export async function run({ input, want }: LogVector): Promise<Answer> {
  return { got: await readLog(input), want };
}

async function readLog({ file, options }: LogVector['input']): Promise<LogText> {
  const chunks = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  let failed = false;
  try {
    const log = readContainerLog(
      {
        files: createMemoryFiles({ files: { [LOG]: file } }).hostFiles,
        clock: createVirtualClock(),
        isRunning: () => false,
      },
      LOG,
      options,
    );
    for await (const { stream, bytes } of log) chunks[stream].push(bytes.slice());
  } catch (error) {
    if (!(error instanceof LogReadError)) throw error;
    failed = true;
  }
  const text = (parts: readonly Uint8Array[]): string => Buffer.concat(parts).toString();
  return { stdout: text(chunks.stdout), stderr: text(chunks.stderr), ...(failed && { error: true }) };
}
