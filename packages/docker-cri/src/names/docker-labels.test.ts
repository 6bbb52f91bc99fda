import { expect, it } from 'vitest';
import { DockerLabel, fromDockerLabels, toDockerLabels } from './docker-labels.ts';

const metadata = { labels: { app: 'web', 'io.kubernetes.pod.uid': 'u' }, annotations: { note: 'two\nlines' } };

it('carries labels and annotations, without those of the image and its own', () => {
  const imageLabels = { maintainer: 'x', app: 'image' };
  const own = { [DockerLabel.type]: 'container', [DockerLabel.sandboxId]: 's' };
  const labels = toDockerLabels(metadata, own, imageLabels);
  expect(labels).toMatchObject({ app: 'web', 'annotation.note': 'two\nlines', [DockerLabel.sandboxId]: 's' });
  // Docker adds the image's.
  expect(fromDockerLabels({ ...imageLabels, ...labels })).toEqual(metadata);
});

it("hides the container name of a sandbox, but not a container's", () => {
  const name = { [DockerLabel.containerName]: 'POD' };
  expect(fromDockerLabels({ ...name, [DockerLabel.type]: 'podsandbox' }).labels).toEqual({});
  expect(fromDockerLabels({ ...name, [DockerLabel.type]: 'container' }).labels).toEqual(name);
});

it('reads containers without labels', () => {
  expect(fromDockerLabels(null)).toEqual({ labels: {}, annotations: {} });
});
