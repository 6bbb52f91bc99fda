import { expect, it } from 'vitest';
import { createVirtualClock } from '../virtual-clock.ts';
import { createLogOutput, type LogOutputOptions } from './log-output.ts';

function recordedOutput(options?: LogOutputOptions) {
  const written: string[] = [];
  const clock = createVirtualClock();
  const output = createLogOutput(
    {
      clock,
      writeError: (text) => void written.push(`err ${text}`),
      writeInfo: (text) => void written.push(`out ${text}`),
    },
    options,
  );
  return { written, clock, output };
}

it('writes all lines to one stream', () => {
  const { output, written } = recordedOutput();
  output.write('a', 'info');
  output.write('b', 'error');
  expect(written).toEqual(['err a', 'err b']);
});

it('splits errors from other lines', () => {
  const { output, written } = recordedOutput({ splitStream: true });
  output.write('a', 'info');
  output.write('b', 'warning');
  output.write('c', 'error');
  expect(written).toEqual(['out a', 'out b', 'err c']);
});

it('holds lines that are no errors back until the buffer is full, the time has come, or the end', async () => {
  const { clock, output, written } = recordedOutput({ splitStream: true, infoBufferBytes: 4, flushFrequencyMs: 100 });
  output.write('ab', 'info');
  output.write('E', 'error');
  expect(written).toEqual(['err E']);
  output.write('cde', 'info');
  expect(written).toEqual(['err E', 'out ab']);
  await clock.advance(100);
  expect(written.at(-1)).toBe('out cde');
  output.write('f', 'info');
  output[Symbol.dispose]();
  expect(written.at(-1)).toBe('out f');
  expect(clock.pendingTimers).toBe(0);
});
