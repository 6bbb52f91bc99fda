import type { KubeletApiChoices } from '@rxlet/kubelet-server/configuration';

/** Facts that decide which ports of the kubelet's API an agent opens. */
export interface PortFacts {
  readonly isStandalone: boolean;
  readonly isFake: boolean;
  /** Whether the kubelet's defaults without a configuration file apply. */
  readonly hasLegacyDefaults: boolean;
  /** Paths of the fields that the configuration sets. */
  readonly configuredFields: ReadonlySet<string>;
}

/**
 * Returns the options of the kubelet's API with the ports that are opened. A standalone agent and one on the embedded runtime open those that are set, and no others:
 * several of them run on one machine, and without an API server their clients are not reviewed. HTTPS of a standalone agent is served only where the configuration says who
 * may use it without asking an API server.
 */
export function openPorts(choices: KubeletApiChoices, facts: PortFacts): KubeletApiChoices {
  const { isStandalone, isFake, hasLegacyDefaults } = facts;
  const isSet = (...fields: readonly string[]): boolean =>
    hasLegacyDefaults || fields.some((field) => facts.configuredFields.has(field));
  const opensDefaults = !isStandalone && !isFake;
  const hasHttps = (!isStandalone || canDecideAlone(choices)) && (!isFake || isSet('port'));
  const hasHealth = opensDefaults || isSet('healthzPort', 'healthzBindAddress');
  return {
    ...choices,
    ...(!hasHttps && { port: undefined }),
    ...(!hasHealth && { healthzPort: 0 }),
  };
}

function canDecideAlone({ authentication, authorization }: KubeletApiChoices): boolean {
  const { x509, webhook, anonymous } = authentication;
  const knowsClients = x509.clientCaFile !== undefined || anonymous.enabled;
  return knowsClients && !webhook.enabled && authorization.mode === 'AlwaysAllow';
}

/** Fields in which the kubelet's defaults without a configuration file let in everybody, and their flags. */
const LEGACY_FIELDS: ReadonlyMap<string, string> = new Map([
  ['authentication.anonymous.enabled', '--anonymous-auth'],
  ['authentication.webhook.enabled', '--authentication-token-webhook'],
  ['authorization.mode', '--authorization-mode'],
  ['readOnlyPort', '--read-only-port'],
]);

/** Returns what a user should know about the ports: settings without an effect, and defaults that are not the kubelet's. */
export function portWarnings(
  opened: KubeletApiChoices | undefined,
  facts: PortFacts & { readonly hasFile: boolean },
): string[] {
  if (opened === undefined) return [];
  const { isStandalone, hasFile, hasLegacyDefaults, configuredFields } = facts;
  const unset = [...LEGACY_FIELDS].filter(([field]) => !configuredFields.has(field));
  const warnings: string[] = [];
  if (!hasFile && !hasLegacyDefaults && opened.port !== undefined && unset.length > 0)
    warnings.push(
      "without --config the API is not open to everybody, as the kubelet's is: clients are authenticated and authorized. " +
        `Set ${unset.map(([field, flag]) => `${field} (${flag})`).join(', ')}, or pass --legacy-kubelet-defaults`,
    );
  if (isStandalone && opened.port === undefined && configuredFields.has('port'))
    warnings.push(
      'port has no effect: a standalone agent serves HTTPS only with authentication.x509.clientCAFile, ' +
        'authentication.webhook.enabled false and authorization.mode AlwaysAllow',
    );
  return warnings;
}
