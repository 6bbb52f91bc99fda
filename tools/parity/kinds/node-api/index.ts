import type { Answer } from '../../vector-kind.ts';
import { attemptsWithoutCredentials, withTimesOf } from './attempts.ts';
import { comparableRequests } from './compare.ts';
import { type RequestHeaders, requestHeaders } from './headers.ts';
import type { Recording } from './recording.ts';
import { replay } from './replay.ts';

/** Replays a phase of a kubelet's life with the agent, and compares the requests to the API server. */
export async function run(recorded: Recording): Promise<Answer> {
  // Suffixes of names stand for themselves.
  const recording = JSON.parse(JSON.stringify(recorded).replaceAll('<sfx>', 'sfx')) as Recording;
  const { requests, files } = await replay(recording);
  const { got, want } = comparableRequests(recording, requests);
  const headers = requestHeaders(recording.requests);
  if (recording.requests.some((request) => request.headers !== undefined)) {
    const sent = requestHeaders(requests);
    // The streams show that none is missing.
    const both = (all: RequestHeaders) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => name in sent && name in headers));
    return {
      got: { ...(got as object), headers: both(sent) },
      want: { ...(want as object), headers: both(headers) },
    };
  }
  if (!recording.requests.some(({ client }) => client === 'none')) return { got, want };
  const endSeconds = recording.requests.at(-1)!.t;
  const wanted = attemptsWithoutCredentials(recording.requests, endSeconds);
  const attempts = withTimesOf(attemptsWithoutCredentials(requests, endSeconds), wanted);
  return {
    got: { ...(got as object), attempts, files: recording.files && files },
    want: { ...(want as object), attempts: wanted, files: recording.files },
  };
}
