import { expect, it } from 'vitest';
import { webServerPlan } from './web-server-images.ts';

it.each([
  ['docker.io/library/nginx:1.27', 80],
  ['registry.k8s.io/e2e-test-images/nginx:1.14-2', 80],
  ['docker.io/library/httpd@sha256:abc', 80],
  ['gcr.io/k8s-staging-cri-tools/hostnet-nginx-amd64:latest', 12003],
  ['docker.io/library/nginx-exporter:1', undefined],
  ['docker.io/nginx/unit:1', undefined],
])('%s serves port %s', (image, port) => {
  expect(webServerPlan([image])?.ports?.[0]?.port).toBe(port);
});
