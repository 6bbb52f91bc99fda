import { goQuote } from '@rxlet/component-base/go';
import { isQualifiedName } from '@rxlet/pod-model/scheduling';

/** Version of the device plugin API. */
export const PLUGIN_VERSION = 'v1beta1';

/** Returns the kubelet's message for a plugin that cannot register; `undefined` when it can. */
export function registrationProblem(version: string, resource: string): string | undefined {
  if (version !== PLUGIN_VERSION) {
    const supported = `[${goQuote(PLUGIN_VERSION)}]`;
    return `requested API version ${goQuote(version)} is not supported by kubelet. Supported version is ${supported}`;
  }
  return isExtendedResource(resource) ? undefined : `the ResourceName ${goQuote(resource)} is invalid`;
}

/** Returns the kubelet's message for a plugin of the plugin watcher that cannot register; `undefined` when it can. */
export function watchedPluginProblem(versions: readonly string[], resource: string): string | undefined {
  if (!versions.includes(PLUGIN_VERSION))
    return `manager version, ${PLUGIN_VERSION}, is not among plugin supported versions [${versions.join(' ')}]`;
  if (isExtendedResource(resource)) return undefined;
  return `invalid name of device plugin socket: the ResourceName ${goQuote(resource)} is invalid`;
}

/** Reports whether a socket's name is a single path element, so that it cannot lead out of its directory. */
export function isSocketName(endpoint: string): boolean {
  return endpoint !== '' && endpoint !== '.' && endpoint !== '..' && !/[/\0]/.test(endpoint);
}

/** Reports whether a resource belongs to a vendor's domain, so that plugins may offer it. */
export function isExtendedResource(name: string): boolean {
  if (!name.includes('/') || name.includes('kubernetes.io/') || name.startsWith('requests.')) return false;
  // Quotas name the resource with this prefix.
  return isQualifiedName(`requests.${name}`);
}
