import type { RunnerFacts, Sighting } from './facts.js';

/** Whether a listing says something new of a runner's machine. */
export function isNews(
  runner: RunnerFacts,
  id: string | undefined,
  { provider, part, twins }: Sighting,
  unknownSince: number | undefined,
): boolean {
  const { place } = runner;
  return (
    !runner.listed ||
    runner.missingSince !== undefined ||
    runner.unknownSince !== unknownSince ||
    place.provider !== provider ||
    place.part !== part ||
    place.id !== id ||
    runner.twins.length !== twins.length
  );
}
