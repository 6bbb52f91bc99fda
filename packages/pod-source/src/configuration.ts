import { resolve } from 'node:path';
import {
  KubeletConfigurationError,
  type ModuleConfiguration,
  type NodeConfiguration,
  switchSetting,
} from '@rxlet/agent-api/configuration';
import { errorMessage } from '@rxlet/component-base';
import { checkManifestHeaders } from './http-source.ts';
import { staticPods, type StaticPodsOptions } from './static-pods-module.ts';
import { staticPodsFromUrl, type StaticPodsFromUrlOptions } from './static-pods-from-url-module.ts';

/** Rejects everything but pods in manifests. */
const strictStaticPods = switchSetting(
  'strictStaticPods',
  'reject ConfigMaps and Secrets in manifests, and references to them, as the kubelet does',
);

/** Configuration of the module `staticPods`. */
export const staticPodsConfiguration: ModuleConfiguration<StaticPodsOptions> = {
  name: 'static-pods',
  fields: ['fileCheckFrequency', 'staticPodPath'],
  settings: [strictStaticPods],
  help: [{ flag: 'pod-manifest-path', argument: 'path', text: 'folder with pod manifests, or one such file' }],
  options({ configuration: { staticPodPath, fileCheckFrequency }, flags, settings }) {
    if (!staticPodPath) return undefined;
    // In a cluster, ConfigMaps and Secrets are those of the API server, and static pods may not refer to them.
    const documents = settings.get(strictStaticPods) === false && !flags.has('kubeconfig');
    const pathSetting = '--pod-manifest-path or staticPodPath';
    return { path: resolve(staticPodPath), pathSetting, checkPeriodMs: fileCheckFrequency, documents };
  },
  module: staticPods,
};

/** Configuration of the module `staticPodsFromUrl`. */
export const staticPodsFromUrlConfiguration: ModuleConfiguration<StaticPodsFromUrlOptions> = {
  name: 'static-pods-from-url',
  fields: ['httpCheckFrequency', 'staticPodURL', 'staticPodURLHeader'],
  help: [
    { flag: 'manifest-url', argument: 'url', text: 'where a server has a Pod or PodList for this node' },
    {
      flag: 'manifest-url-header',
      argument: 'name:value,...',
      text: 'headers of the requests to it; may be given several times',
    },
  ],
  options: toStaticPodsFromUrl,
  module: staticPodsFromUrl,
};

function toStaticPodsFromUrl({ configuration }: NodeConfiguration): StaticPodsFromUrlOptions | undefined {
  const { staticPodURL: url, staticPodURLHeader = {}, httpCheckFrequency } = configuration;
  const headers = Object.entries(staticPodURLHeader).flatMap(([name, values]) =>
    values.map((value) => [name, value] as const),
  );
  try {
    checkManifestHeaders(headers);
  } catch (error) {
    throw new KubeletConfigurationError('start', [`staticPodURLHeader: ${errorMessage(error)}`], { cause: error });
  }
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    const problem = `staticPodURL (--manifest-url) "${url}" is not a URL: it must begin with http:// or https://`;
    throw new KubeletConfigurationError('start', [problem]);
  }
  return { url, headers, checkPeriodMs: httpCheckFrequency };
}
