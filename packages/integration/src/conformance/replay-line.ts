/** The command that runs a rule of ours as a run before did. */
export function replayLine(
  rule: { readonly id: string },
  certificate: { readonly store: string; readonly seed: number },
): string {
  return `npm run conformance -- --store ${certificate.store} --rule ${rule.id} --seed ${certificate.seed}`;
}
