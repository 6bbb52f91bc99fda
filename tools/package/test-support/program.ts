import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { PrivateMachine } from '@rxlet/test-containerd/private-machine';

/** A program that runs on a machine of its own. */
export interface Program {
  readonly child: ChildProcess;
  /** Both outputs so far. */
  output(): string;
  /** Resolves once a line begins with the text. Rejects when the program ends before. */
  printed(text: string): Promise<void>;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
  /** Sends SIGTERM and waits for the end. */
  end(): Promise<void>;
}

/** Starts a program on a machine. */
export function startProgram({ enter }: PrivateMachine, program: string, args: readonly string[]): Program {
  const child = spawn(enter[0]!, [...enter.slice(1), program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += data.toString();
      for (const look of waiting) look();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const line = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!output.split('\n').some((each) => each.startsWith(text))) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const failure = async (text: string): Promise<never> => {
    const code = await ended;
    throw new Error(`${program} ended with ${String(code)} before it printed "${text}"\n${output}`);
  };
  return {
    child,
    output: () => output,
    printed: (text) => Promise.race([line(text), failure(text)]),
    ended,
    async end() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
