import { createVirtualClock } from '@rxlet/component-base/testing';
import { describe, expect, it } from 'vitest';
import { containerLogsEndpoint } from './container-logs-endpoint.ts';
import type { LogQuery } from './log-query.ts';

async function* noLines(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array();
}

function requestLogs(splitsStreams: boolean, query: string): { answer: Promise<unknown>; queries: LogQuery[] } {
  const queries: LogQuery[] = [];
  const openLog = async (read: LogQuery) => {
    queries.push(read);
    return noLines();
  };
  const endpoint = containerLogsEndpoint(openLog, createVirtualClock(), { splitsStreams });
  const { signal } = new AbortController();
  const parameters = new URLSearchParams(query);
  const segments = ['default', 'web', 'main'];
  const answer = Promise.resolve(endpoint.handle({ method: 'GET', segments, parameters, headers: {}, signal }));
  return { answer, queries };
}

describe('one of the streams alone', () => {
  it('is read with the feature gate PodLogsQuerySplitStreams', async () => {
    const { answer, queries } = requestLogs(true, 'stream=Stderr');
    expect(await answer).toMatchObject({ contentType: null });
    expect(queries).toMatchObject([{ stream: 'stderr' }]);
  });

  it('is rejected without it', async () => {
    await expect(requestLogs(false, 'stream=Stderr').answer).rejects.toMatchObject({ status: 400 });
    expect(await requestLogs(false, 'stream=All').answer).toMatchObject({ contentType: null });
  });
});
