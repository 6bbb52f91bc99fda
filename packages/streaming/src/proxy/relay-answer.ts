import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Clock, errorMessage } from '@rxlet/component-base';
import { NotUpgradedError } from '../client/request-upgrade.ts';
import { answerBare, answerText } from '../http/answer.ts';
import { readBody } from '../http/read-body.ts';

/** Headers of one connection, which the relayed answer has anew or not at all. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['connection', 'content-length', 'transfer-encoding', 'keep-alive']);

/** Answers a client whose stream the runtime did not open: with the runtime's own error, or status 500 and the reason. */
export async function answerFailure(connection: Duplex, clock: Clock, error: unknown): Promise<void> {
  const answer = error instanceof NotUpgradedError ? error.answer : undefined;
  if (answer === undefined || (answer.statusCode ?? 0) < 400) {
    answer?.destroy();
    answerText(connection, 500, errorMessage(error));
    return;
  }
  const body = await readBody(answer, clock);
  const hasLength = answer.headers['content-length'] !== undefined;
  const end = hasLength ? `Content-Length: ${String(body.length)}` : 'Connection: close';
  answerBare(connection, answer.statusCode!, [...headerLines(answer).filter(isRelayed), end], body);
}

/** Returns the headers of an answer as they came. */
export function headerLines({ rawHeaders }: IncomingMessage): readonly string[] {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : []));
}

function isRelayed(line: string): boolean {
  return !OWN_HEADERS.has(line.slice(0, line.indexOf(':')).toLowerCase());
}
