import { Session } from 'node:inspector/promises';
import { type Clock, sleep } from '@rxlet/component-base';
import { errorLine } from '../request/answer.ts';
import type { EndpointResponse } from '@rxlet/agent-api/http';
import type { ServiceRoute } from '../routing/route.ts';

const DEFAULT_SECONDS = 30;
/** Longest recording: it costs time of the one thread that everything runs on. */
const MAX_SECONDS = 300;
const MARK = { 'x-go-pprof': '1' };

/** Returns the service `/debug/pprof/`: profiles of the process for the developer tools of Chrome, under the names of the kubelet's that they correspond to. */
export function profilesRoute(clock: Clock): ServiceRoute {
  let isRecording = false;
  const record = async (
    name: 'profile' | 'heap',
    parameters: URLSearchParams,
    signal: AbortSignal,
  ): Promise<EndpointResponse> => {
    const seconds = Number(parameters.get('seconds') ?? DEFAULT_SECONDS);
    const length = seconds > 0 ? seconds : DEFAULT_SECONDS;
    if (length > MAX_SECONDS) return errorLine(400, "profile duration exceeds server's WriteTimeout", MARK);
    if (isRecording) return errorLine(500, 'Could not enable CPU profiling: cpu profiling already in use', MARK);
    isRecording = true;
    try {
      const content = await recordProfile(name, () => sleep(clock, length * 1000, signal));
      const extension = name === 'profile' ? 'cpuprofile' : 'heapprofile';
      const headers = {
        'x-content-type-options': 'nosniff',
        'content-disposition': `attachment; filename="rxlet.${extension}"`,
      };
      return { contentType: 'application/octet-stream', headers, body: JSON.stringify(content) };
    } finally {
      isRecording = false;
    }
  };
  return {
    root: '/debug/pprof/',
    operations: [
      {
        methods: ['GET'],
        segments: { least: 1, most: Infinity },
        handle({ segments, parameters, signal }) {
          const name = segments.join('/');
          if (name === 'profile' || name === 'heap') return record(name, parameters, signal);
          const headers = { 'x-content-type-options': 'nosniff' };
          if (name === 'cmdline') return { headers, body: process.argv.join('\0') };
          if (name === 'symbol') return { headers, body: 'num_symbols: 1\n' };
          return errorLine(404, 'Unknown profile', MARK);
        },
      },
    ],
  };
}

async function recordProfile(name: 'profile' | 'heap', wait: () => Promise<void>): Promise<object> {
  const session = new Session();
  session.connect();
  try {
    if (name === 'heap') {
      await session.post('HeapProfiler.startSampling');
      await wait();
      return (await session.post('HeapProfiler.stopSampling')).profile;
    }
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await wait();
    return (await session.post('Profiler.stop')).profile;
  } finally {
    session.disconnect();
  }
}
