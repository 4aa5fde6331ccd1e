/* closed_form: what theory says about write amplification under uniform random writes of whole pages.
 *
 * alpha = flash pages usable / logical pages mapped, > 1. W0 is the principal branch of the Lambert function.
 * Pure. */
#pragma once

double sim_lambert_w0(double x);		/* -1/e <= x; within 1e-12 */
/* FIFO, and greedy with large superblocks: alpha / (alpha + W0(-alpha e^-alpha))
 * (Xiang & Kurkoski 2012; Desnoyers 2012). */
double sim_amplification_fifo(double alpha);
/* d candidates drawn at random, superblocks of many pages: alpha / lambda, where lambda solves
 * int_0^1 exp(-lambda a(G)) dG = 1 / alpha, a(G) = int_G^1 dx / (1 - (1-x)^d) (limit of Van Houdt 2013).
 * d >= 1. */
double sim_amplification_choices(double alpha, unsigned choices);
/* Greedy, superblocks of `pages` pages (Desnoyers 2012). */
double sim_amplification_greedy(double alpha, double pages);
/* Steady state of FIFO: a superblock of age a (0 newest, 1 oldest) has the share exp(-w a) of valid pages,
 * with w / (1 - e^-w) = alpha. Gives w. */
double sim_steady_decay(double alpha);
