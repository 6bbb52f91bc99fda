import { type Clock, sleep } from '@rxlet/component-base';
import { acceptOnly, type PortService } from '../network/port-service.ts';
import { responseAt } from './plan.ts';
import type { ScriptedPort, ScriptedResponse } from './script.ts';

const ALWAYS: readonly ScriptedResponse[] = [{}];

/** Returns the service on a scripted port of a container that started `elapsedMs()` ago. */
export function scriptedPort(
  { protocol, responses = ALWAYS }: ScriptedPort,
  clock: Clock,
  elapsedMs: () => number,
): PortService {
  const answer = async (path: string | undefined, signal: AbortSignal): Promise<ScriptedResponse | undefined> => {
    const response = responseAt(responses, path, elapsedMs());
    const takesMs = (response?.takesSeconds ?? 0) * 1000;
    if (takesMs > 0) await sleep(clock, takesMs, signal);
    return response;
  };
  switch (protocol) {
    case 'http':
      return {
        protocol,
        async respond({ path }, signal) {
          const response = await answer(path, signal);
          if (response !== undefined) return { status: response.status ?? 200, body: response.body ?? '' };
          const elsewhere = responseAt(responses, undefined, elapsedMs());
          return { status: elsewhere === undefined ? 503 : 404 };
        },
      };
    case 'grpc':
      return {
        protocol,
        async check(_service, signal) {
          const response = await answer(undefined, signal);
          return response === undefined ? 'NOT_SERVING' : (response.health ?? 'SERVING');
        },
      };
    case 'tcp':
      return {
        protocol,
        accept(connection) {
          if (responseAt(responses, undefined, elapsedMs()) === undefined) connection.destroy();
          else acceptOnly.accept(connection);
        },
      };
  }
}
