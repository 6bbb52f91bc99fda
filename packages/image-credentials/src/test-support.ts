import { type Clock, sleep } from '@rxlet/component-base';
import type { ProviderCommand, ProviderProcesses, ProviderResult } from './provider-processes.ts';

/** Provider processes with answers of a test. */
export interface TestProviders extends ProviderProcesses {
  /** Commands that were run, in order, with their requests. */
  readonly runs: readonly { readonly command: ProviderCommand; readonly request: Record<string, unknown> }[];
  /** Number of cancelled runs. */
  readonly killed: number;
  readonly running: number;
}

/** Creates {@link TestProviders}. `answer` gets the request, and returns the result or an object that is its standard output as JSON. */
export function createTestProviders(
  clock: Clock,
  answer: (request: Record<string, unknown>, name: string) => object | Error,
  durationMs = 0,
): TestProviders {
  const runs: { command: ProviderCommand; request: Record<string, unknown> }[] = [];
  let killed = 0;
  let running = 0;
  return {
    runs,
    get killed() {
      return killed;
    },
    get running() {
      return running;
    },
    async run(command, signal) {
      const request = JSON.parse(command.stdin) as Record<string, unknown>;
      runs.push({ command, request });
      running += 1;
      try {
        if (durationMs > 0) await sleep(clock, durationMs, signal);
      } catch (error) {
        killed += 1;
        throw error;
      } finally {
        running -= 1;
      }
      const result = answer(request, command.name);
      if (result instanceof Error) throw result;
      return 'stdout' in result
        ? (result as ProviderResult)
        : { exitCode: 0, stdout: JSON.stringify(result), stderr: '' };
    },
  };
}

/** Returns an answer with one user, whose password is `<user>-password`. */
export function testAnswer(user: string, change: object = {}): object {
  return {
    apiVersion: 'credentialprovider.kubelet.k8s.io/v1',
    kind: 'CredentialProviderResponse',
    cacheKeyType: 'Image',
    auth: { '*.io': { username: user, password: `${user}-password` } },
    ...change,
  };
}
