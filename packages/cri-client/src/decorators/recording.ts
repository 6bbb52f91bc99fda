import { create, type DescMessage, type JsonObject, type Message, type MessageInitShape } from '@bufbuild/protobuf';
import { type Clock, errorMessage } from '@rxlet/component-base';
import { callErrorCode } from '@rxlet/cri-api';
import type { CriServices } from './cri-services.ts';
import { observeCalls } from './observe-calls.ts';
import { type RecordedError, RECORDING_VERSION, type RecordingHeader, type RecordingLine } from './recording-format.ts';
import { toRedactedJson } from './redact.ts';

/** Ports of {@link recording}. */
export interface RecordingPorts {
  readonly clock: Clock;
  /** Receives each line, without its end, as soon as it is known; the header within {@link recording}. Must not throw. */
  readonly sink: (line: string) => void;
}

/**
 * Records every call as JSON lines (see `RecordingLine`), for people and for `replaying`. Nothing is kept in memory. Passwords
 * and tokens of registries and the values of environment variables are redacted; commands, their output, annotations and verbose information are written as
 * they are. A request that cannot be encoded is not a CRI message, and its call is not recorded.
 */
export function recording(services: CriServices, ports: RecordingPorts): CriServices {
  const { clock, sink } = ports;
  const startedMs = clock.monotonicNow();
  const sinceStart = (): number => rounded(clock.monotonicNow() - startedMs);
  const write = (line: RecordingLine | RecordingHeader): void => sink(JSON.stringify(line));
  let calls = 0;
  write({
    format: 'rxlet-cri-recording',
    version: RECORDING_VERSION,
    startedAt: new Date(clock.now()).toISOString(),
  });

  return observeCalls(services, ({ method }) => (init) => {
    const request = requestJson(method.input, init);
    if (request === undefined) return { ended: () => undefined };
    const call = ++calls;
    const atMs = sinceStart();
    const begun = { call, atMs, method: method.name, request };
    if (method.methodKind === 'unary') {
      let response: JsonObject = {};
      return {
        answered: (message: Message) => void (response = toRedactedJson(method.output, message)),
        ended(outcome) {
          const tookMs = rounded(sinceStart() - atMs);
          if (outcome.kind === 'failed') write({ ...begun, tookMs, error: recordedError(outcome.error) });
          else write({ ...begun, tookMs, response });
        },
      };
    }
    write({ ...begun, stream: true });
    return {
      answered: (message) => write({ call, atMs: sinceStart(), message: toRedactedJson(method.output, message) }),
      ended(outcome) {
        const ended = { call, atMs: sinceStart() };
        if (outcome.kind === 'failed') write({ ...ended, error: recordedError(outcome.error) });
        else write({ ...ended, end: outcome.kind });
      },
    };
  });
}

function requestJson(descriptor: DescMessage, init: object): JsonObject | undefined {
  try {
    return toRedactedJson(descriptor, create(descriptor, init as MessageInitShape<DescMessage>));
  } catch {
    return undefined;
  }
}

function recordedError(error: unknown): RecordedError {
  const code = callErrorCode(error);
  const message = errorMessage(error);
  return code === undefined ? { message } : { code, message };
}

/** To microseconds. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
