import { describe, expect, it } from 'vitest';
import { createStartErrors } from './start-errors.ts';

const error = (reason: string): { reason: string; message: string } => ({ reason, message: `details of ${reason}` });

describe('start errors', () => {
  it('keeps the last error of each container of a pod', () => {
    const errors = createStartErrors();
    errors.record('a', 'app', error('ErrImagePull'));
    errors.record('a', 'app', error('ImagePullBackOff'));
    errors.record('a', 'log', error('RunContainerError'));
    errors.record('b', 'app', error('CrashLoopBackOff'));
    expect(errors.forPod('a')).toEqual(
      new Map([
        ['app', error('ImagePullBackOff')],
        ['log', error('RunContainerError')],
      ]),
    );
    expect(errors.forPod('c').size).toBe(0);
  });

  it('removes the error of a container with its next success', () => {
    const errors = createStartErrors();
    errors.update('a', [
      { container: 'app', error: error('E') },
      { container: 'log', error: error('F') },
    ]);
    errors.update('a', [{ container: 'app' }]);
    expect([...errors.forPod('a').keys()]).toEqual(['log']);
    errors.clear('a', 'log');
    expect(errors.size).toBe(0);
  });

  it('removes the errors of a pod', () => {
    const errors = createStartErrors();
    errors.update('a', [
      { container: 'app', error: error('E') },
      { container: 'log', error: error('F') },
    ]);
    errors.record('b', 'app', error('G'));
    errors.forget('a');
    expect(errors.forPod('a').size).toBe(0);
    expect(errors.size).toBe(1);
  });

  it('evicts the least recently used error', () => {
    const errors = createStartErrors({ capacity: 2 });
    errors.record('a', 'app', error('E'));
    errors.record('b', 'app', error('E'));
    errors.forPod('a');
    errors.record('c', 'app', error('E'));
    expect(errors.size).toBe(2);
    expect(errors.forPod('b').size).toBe(0);
    expect(errors.forPod('a').size).toBe(1);
    expect(errors.forPod('c').size).toBe(1);
  });

  it('returns an immutable copy', () => {
    const errors = createStartErrors();
    errors.record('a', 'app', error('E'));
    const seen = errors.forPod('a');
    errors.clear('a', 'app');
    expect(seen.get('app')).toEqual(error('E'));
  });

  it('holds 1000 errors by default', () => {
    const errors = createStartErrors();
    for (let pod = 0; pod < 1100; pod += 1) errors.record(`pod${pod}`, 'app', error('E'));
    expect(errors.size).toBe(1000);
    expect(errors.forPod('pod99').size).toBe(0);
    expect(errors.forPod('pod100').size).toBe(1);
  });
});
