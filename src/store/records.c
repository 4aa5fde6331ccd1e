#include "store/records.h"
#include "store/store.h"

const char *run_status_name(enum run_status status)
{
	switch (status) {
	case RUN_RUNNING: return "running";
	case RUN_COMPLETE: return "complete";
	case RUN_INTERRUPTED: return "interrupted";
	case RUN_FAILED: return "failed";
	case RUN_REFUSED: return "refused";
	}
	return "?";
}

const char *check_result_name(enum check_result result)
{
	switch (result) {
	case CHECK_PASSED: return "passed";
	case CHECK_FAILED: return "failed";
	case CHECK_NOT_APPLICABLE: return "not_applicable";
	}
	return "?";
}

const char *latency_kind_name(enum latency_kind kind)
{
	switch (kind) {
	case LATENCY_SERVICE: return "service";
	case LATENCY_RESPONSE: return "response";
	case LATENCY_LATENESS: return "lateness";
	case LATENCY_KINDS: break;
	}
	return "?";
}
