/* phrases: what the page says, in its languages. An English phrase is its own key; simplified and traditional Chinese are
 * two written translations, not one conversion. Tests render in each language and fail when a phrase is missing, or when a
 * translation takes other values than the English does. */
#include <errno.h>
#include <string.h>
#include "report/page.h"

#define SAME(word) { word, word, word }	/* names and signs that are not translated */

static const struct phrase phrases[] = {
	/* signs */
	SAME(""), SAME("IOPS"), SAME("MB/s"), SAME("n"), SAME("p50"), SAME("p90"), SAME("p99"), SAME("p99.9"), SAME("p99.99"),
	SAME("p99.999"),
	/* words */
	{ "Table", "表格", "表格" },
	{ "read", "读", "讀取" },
	{ "write", "写", "寫入" },
	{ "trim", "TRIM", "TRIM" },
	{ "flush", "刷新", "清除緩衝" },
	{ "fsync", "fsync", "fsync" },
	{ "step", "步骤", "步驟" },
	{ "point", "测点", "測點" },
	{ "load", "负载", "負載" },
	{ "direction", "方向", "方向" },
	{ "mean", "平均", "平均" },
	{ "min", "最小", "最小" },
	{ "max", "最大", "最大" },
	{ "range", "范围", "範圍" },
	{ "average", "平均值", "平均值" },
	{ "QD reached", "实际队列深度", "實際佇列深度" },
	{ "check", "检查", "檢查" },
	{ "result", "结果", "結果" },
	{ "what was seen", "所见", "所見" },
	{ "at", "时刻", "時刻" },
	{ "from", "起始", "起始" },
	{ "kind", "类型", "類型" },
	{ "what", "内容", "內容" },
	{ "GB written", "已写入 GB", "已寫入 GB" },
	{ "latency", "延迟", "延遲" },
	{ "I/Os", "I/O 数", "I/O 數" },
	{ "per million", "每百万次", "每百萬次" },
	{ "per hour", "每小时", "每小時" },
	{ "round", "轮次", "輪次" },
	{ "verdict", "判定", "判定" },
	{ "SNIA rule", "SNIA 规则", "SNIA 規則" },
	{ "range (20 % allowed)", "极差(允许 20 %)", "極差(允許 20 %)" },
	{ "slope (10 % allowed)", "斜率(允许 10 %)", "斜率(允許 10 %)" },
	{ "ended by", "结束原因", "結束原因" },
	{ "offset", "偏移", "位移" },
	{ "bytes", "字节", "位元組" },
	{ "in flight", "在途 I/O", "進行中 I/O" },
	{ "time", "时间", "時間" },
	{ "host", "主机", "主機" },
	{ "drive", "硬盘", "硬碟" },
	{ "target", "目标", "目標" },
	{ "ID", "ID", "ID" },
	{ "serial", "序列号", "序號" },
	{ "firmware", "固件", "韌體" },
	{ "interface", "接口", "介面" },
	{ "capacity", "容量", "容量" },
	{ "block size", "块大小", "區塊大小" },
	{ "longest stall", "最长停顿", "最長停頓" },
	{ "before", "之前", "之前" },
	{ "after", "之后", "之後" },
	{ "Host", "主机", "主機" },
	{ "Run", "运行", "執行" },
	{ "command", "命令", "命令" },
	{ "version", "版本", "版本" },
	{ "engine", "引擎", "引擎" },
	{ "clock", "时钟", "時鐘" },
	{ "seed", "种子", "種子" },
	{ "ceiling of the program (IOPS)", "本程序的上限(IOPS)", "本程式的上限(IOPS)" },
	{ "run ID", "运行 ID", "執行 ID" },
	/* statuses, results, verdicts, states */
	{ "complete", "完成", "完成" },
	{ "running", "运行中", "執行中" },
	{ "interrupted", "已中断", "已中斷" },
	{ "failed", "失败", "失敗" },
	{ "refused", "已拒绝", "已拒絕" },
	{ "passed", "通过", "通過" },
	{ "not_applicable", "不适用", "不適用" },
	{ "steady", "稳态", "穩態" },
	{ "steady_oscillating", "稳态(振荡)", "穩態(振盪)" },
	{ "steady_regimes", "稳态(多态)", "穩態(多態)" },
	{ "imprecise", "精度不足", "精度不足" },
	{ "drifting", "漂移中", "漂移中" },
	{ "not_steady", "未达稳态", "未達穩態" },
	{ "time_limited", "受时间限制", "受時間限制" },
	{ "met", "满足", "滿足" },
	{ "NOT REACHED", "未达到", "未達到" },
	{ "Steady by the SNIA rule", "按 SNIA 规则已稳态", "依 SNIA 規則已達穩態" },
	{ "as found", "原始状态", "原始狀態" },
	{ "purged", "已清除", "已清除" },
	{ "filled", "已填充", "已填滿" },
	{ "purged, then filled", "清除后填充", "清除後填滿" },
	{ "after idle", "空闲之后", "閒置之後" },
	{ "burst", "突发值", "突發值" },
	{ "scaled", "已缩放", "已縮放" },
	{ "errors", "有错误", "有錯誤" },
	{ "%s errors", "%s 个错误", "%s 個錯誤" },
	{ "no I/O", "无 I/O", "無 I/O" },
	/* loads */
	{ "sequential read", "顺序读", "循序讀取" },
	{ "sequential write", "顺序写", "循序寫入" },
	{ "sequential mix", "顺序混合", "循序混合" },
	{ "sequential trim", "顺序 TRIM", "循序 TRIM" },
	{ "random read", "随机读", "隨機讀取" },
	{ "random write", "随机写", "隨機寫入" },
	{ "random mix", "随机混合", "隨機混合" },
	{ "random trim", "随机 TRIM", "隨機 TRIM" },
	/* sections */
	{ "Results at a glance", "结果一览", "結果一覽" },
	{ "Side by side", "并排比较", "並列比較" },
	{ "Steady state", "稳态", "穩態" },
	{ "Sweeps", "扫描", "掃描" },
	{ "Against time", "随时间变化", "隨時間變化" },
	{ "Latency", "延迟", "延遲" },
	{ "Temperature, power and host", "温度、功耗与主机", "溫度、功耗與主機" },
	{ "All results", "全部结果", "全部結果" },
	{ "Self-checks", "自检", "自我檢查" },
	{ "Events", "事件", "事件" },
	{ "Conditions", "测试条件", "測試條件" },
	{ "Known truth of the simulated drive", "模拟硬盘的已知真值", "模擬硬碟的已知真值" },
	/* the head */
	{ "several runs", "多次运行", "多次執行" },
	{ "%u runs side by side", "%u 次运行并排比较", "%u 次執行並列比較" },
	{ "Self-checks failed: %u. See the section Self-checks before using the numbers.",
	  "%u 项自检失败。使用这些数字之前请先看“自检”一节。", "%u 項自我檢查失敗。使用這些數字之前請先看「自我檢查」一節。" },
	{ "Scaled by %.6g, not scored: durations and sizes are not those of the procedure.",
	  "按 %.6g 缩放,不计分:时长和大小不是规程所要求的。", "以 %.6g 縮放,不計分:時間與大小並非規程所要求。" },
	{ "Burst figures: seconds of load on a small range. They say nothing about the steady state.",
	  "突发值:只在小范围内加载数秒,不能说明稳态。", "突發值:僅在小範圍內負載數秒,不能說明穩態。" },
	{ "Reads of never-written ranges were allowed: a drive answers those without touching flash.",
	  "允许读取从未写入的区域:硬盘无需访问闪存即可应答。", "允許讀取從未寫入的區域:硬碟不需存取快閃記憶體即可回應。" },
	{ "A simulated drive: host rules do not apply, and its truth is in the appendix.",
	  "模拟硬盘:主机规则不适用,其真值见附录。", "模擬硬碟:主機規則不適用,其真值見附錄。" },
	{ "highest of %u points: %s", "%u 个测点中最高:%s", "%u 個測點中最高:%s" },
	{ "median of the last %u rounds", "最后 %u 轮的中位数", "最後 %u 輪的中位數" },
	{ "median of %u repeats", "%u 次重复的中位数", "%u 次重複的中位數" },
	{ "The longest time in which %s had I/Os in flight and completed none was %s.",
	  "%s 有在途 I/O 却一个也没有完成的最长时间为 %s。", "%s 有進行中的 I/O 卻一個也沒有完成的最長時間為 %s。" },
	{ "This run has no measured I/O.", "本次运行没有测得任何 I/O。", "本次執行沒有測得任何 I/O。" },
	{ "mean %s, max %s", "平均 %s,最大 %s", "平均 %s,最大 %s" },
	{ "On average over the step: highest %s with %s IOPS, lowest %s with %s IOPS. One run each says nothing about which "
	  "drive is faster: use compare.",
	  "整个步骤的平均值:最高 %s,%s IOPS;最低 %s,%s IOPS。各一次运行不能说明哪个硬盘更快:请用 compare。",
	  "整個步驟的平均值:最高 %s,%s IOPS;最低 %s,%s IOPS。各一次執行不能說明哪個硬碟較快:請用 compare。" },
	/* tables */
	{ "needs %s more I/Os", "还需要 %s 个 I/O", "還需要 %s 個 I/O" },
	{ "95 %% interval: %s to %s", "95 %% 区间:%s 至 %s", "95 %% 區間:%s 至 %s" },
	{ "round %u", "第 %u 轮", "第 %u 輪" },
	{ "%u steps", "%u 个步骤", "%u 個步驟" },
	{ "Percentiles are nearest rank, printed only where at least 3.69 I/Os lie beyond; * fewer than 10 lie beyond; n/a: too "
	  "few I/Os. Point at a value for its 95 % interval.",
	  "百分位数按最近秩计算,仅当其外至少有 3.69 个 I/O 时才给出;* 其外不足 10 个;n/a:I/O 太少。指向数值可见其 95 % 区间。",
	  "百分位數以最近秩計算,僅當其外至少有 3.69 個 I/O 時才列出;* 其外不足 10 個;n/a:I/O 太少。指向數值可見其 95 % 區間。" },
	{ "Closed loops: latency is service time, and stalls are under-counted, because the next I/O waits for the last.",
	  "闭环负载:延迟为服务时间;下一个 I/O 要等上一个完成,因此停顿会被少算。",
	  "閉環負載:延遲為服務時間;下一個 I/O 須等上一個完成,因此停頓會被低估。" },
	{ "Open loops: latency is response time, counted from the intended start.",
	  "开环负载:延迟为响应时间,从预定的开始时刻算起。", "開環負載:延遲為回應時間,自預定的開始時刻起算。" },
	{ "Medians of repeats, or over the last five rounds, with their range; latencies of all of them together.",
	  "各次重复(或最后五轮)的中位数及其范围;延迟为全部合并。", "各次重複(或最後五輪)的中位數及其範圍;延遲為全部合併。" },
	{ "The first %u of %u; show --json has all.", "%2$u 条中的前 %1$u 条;全部见 show --json。", "%2$u 筆中的前 %1$u 筆;全部見 show --json。" },
	{ "Plan %s as it was run", "所运行的计划 %s", "所執行的計畫 %s" },
	{ "State of the drive before and after", "硬盘在运行前后的状态", "硬碟在執行前後的狀態" },
	/* charts against time */
	{ "whole run", "整次运行", "整次執行" },
	{ "I/Os per second", "每秒 I/O 数", "每秒 I/O 數" },
	{ "throughput", "吞吐量", "傳輸率" },
	{ "IOPS against time", "IOPS 随时间变化", "IOPS 隨時間變化" },
	{ "Throughput against time", "吞吐量随时间变化", "傳輸率隨時間變化" },
	{ "Latency of single I/Os against time", "单个 I/O 的延迟随时间变化", "單一 I/O 的延遲隨時間變化" },
	{ "Latency distribution against time", "延迟分布随时间变化", "延遲分布隨時間變化" },
	{ "Throughput against data written", "吞吐量随写入量变化", "傳輸率隨寫入量變化" },
	{ "data written", "写入量", "寫入量" },
	{ "Averages over equal amounts of data, from zero.", "按等量数据取平均,从零开始。", "依等量資料取平均,從零開始。" },
	{ "%s GB written; %s over the first tenth, %s over the last.", "共写入 %s GB;前十分之一为 %s,后十分之一为 %s。",
	  "共寫入 %s GB;前十分之一為 %s,後十分之一為 %s。" },
	{ "A line of means per run.", "每次运行一条均值线。", "每次執行一條平均線。" },
	{ "One line per direction, from zero; dots are single intervals, the line their mean.",
	  "每个方向一条线,从零开始;点为单个区间,线为其均值。", "每個方向一條線,從零開始;點為單一區間,線為其平均。" },
	{ "Mean %s; slowest interval %s, fastest %s.", "平均 %s;最慢区间 %s,最快 %s。", "平均 %s;最慢區間 %s,最快 %s。" },
	{ "%u steps in the order they ran; the fastest interval reached %s.", "%u 个步骤按运行次序;最快区间达到 %s。",
	  "%u 個步驟依執行次序;最快區間達到 %s。" },
	{ "Means in MB/s; every interval is in series.csv.", "均值,单位 MB/s;每个区间见 series.csv。", "平均值,單位 MB/s;每個區間見 series.csv。" },
	{ "Means in IOPS; every interval is in series.csv.", "均值,单位 IOPS;每个区间见 series.csv。", "平均值,單位 IOPS;每個區間見 series.csv。" },
	{ "latency (log)", "延迟(对数)", "延遲(對數)" },
	{ "A point per sampled I/O, and per I/O that was slow; logarithmic.", "每个抽样 I/O 和每个慢 I/O 各一点;对数坐标。",
	  "每個抽樣 I/O 與每個慢 I/O 各一點;對數座標。" },
	{ "slow %s", "慢速%s", "慢速%s" },
	{ "grey: samples", "灰色:抽样", "灰色:抽樣" },
	{ "pale: during a hiccup of the host", "浅色:主机停顿期间", "淺色:主機停頓期間" },
	{ "%s slow I/Os were kept in full; the slowest, a %s, took %s, at %s; %s samples.",
	  "完整保留 %s 个慢 I/O;最慢的(%s)用时 %s,发生在 %s;抽样 %s 个。", "完整保留 %s 個慢 I/O;最慢的(%s)耗時 %s,發生於 %s;抽樣 %s 個。" },
	{ "No I/O was slow enough to be kept in full; %s samples.", "没有慢到需完整保留的 I/O;抽样 %s 个。", "沒有慢到需完整保留的 I/O;抽樣 %s 個。" },
	{ "The slowest; all that were kept are in outliers.csv.", "最慢的若干个;全部保留的见 outliers.csv。", "最慢的數個;全部保留的見 outliers.csv。" },
	{ "Every I/O counted: the brighter, the more of them in that time and range of latency (logarithmic).",
	  "所有 I/O 均计入:越亮表示该时段、该延迟范围内越多(对数)。", "所有 I/O 皆計入:越亮表示該時段、該延遲範圍內越多(對數)。" },
	{ "All I/Os of the step by time and service time; bright is many, dark is few, bare is none. Lines are percentiles of "
	  "single intervals.",
	  "该步骤的全部 I/O,按时间和服务时间;亮为多,暗为少,空白为无。线为单个区间的百分位数。",
	  "該步驟的全部 I/O,依時間與服務時間;亮為多,暗為少,空白為無。線為單一區間的百分位數。" },
	/* latency */
	{ "Latency percentiles", "延迟百分位数", "延遲百分位數" },
	{ "share of I/Os that were faster", "更快的 I/O 所占比例", "較快的 I/O 所占比例" },
	{ "Each line ends at the last percentile its sample count can carry; bands are 95 % intervals.",
	  "每条线止于样本数所能支持的最后一个百分位;色带为 95 % 区间。", "每條線止於樣本數所能支持的最後一個百分位;色帶為 95 % 區間。" },
	{ "The slowest tail is that of %s: %.6g %% of its %s I/Os took at most %s.",
	  "尾部最慢的是 %s:%.6g %%(共 %s 个 I/O)用时不超过 %s。", "尾部最慢的是 %s:%.6g %%(共 %s 個 I/O)耗時不超過 %s。" },
	{ "The first %u of %u points are drawn.", "只画出 %2$u 个测点中的前 %1$u 个。", "只繪出 %2$u 個測點中的前 %1$u 個。" },
	{ "Slow I/Os", "慢 I/O", "慢 I/O" },
	{ "I/Os per hour (log)", "每小时 I/O 数(对数)", "每小時 I/O 數(對數)" },
	{ "A bar per range of latency and direction; the number above it is the count.",
	  "每个延迟范围和方向一根柱;上方数字为个数。", "每個延遲範圍與方向一根柱;上方數字為個數。" },
	{ "Of %s I/Os %s took 10 ms or more, %s of them 100 ms or more, and %s 500 ms or more.",
	  "%s 个 I/O 中,%s 个用时 10 ms 以上,其中 %s 个 100 ms 以上,%s 个 500 ms 以上。",
	  "%s 個 I/O 中,%s 個耗時 10 ms 以上,其中 %s 個 100 ms 以上,%s 個 500 ms 以上。" },
	/* rounds */
	{ "convergence", "收敛", "收斂" },
	{ "steady-state window", "稳态窗口", "穩態視窗" },
	{ "A line per point, round by round.", "每个测点一条线,逐轮。", "每個測點一條線,逐輪。" },
	{ "%u rounds of %u points.", "%u 轮,每轮 %u 个测点。", "%u 輪,每輪 %u 個測點。" },
	{ "Five rounds, their average, 110 % and 90 % of it, and the line fitted to them.",
	  "五轮及其平均值、其 110 % 与 90 %,以及拟合直线。", "五輪及其平均值、其 110 % 與 90 %,以及擬合直線。" },
	{ "%s: average %s; range %.1f %% of it (20 %% allowed), slope over the window %.1f %% (10 %% allowed).",
	  "%s:平均 %s;极差为其 %.1f %%(允许 20 %%),窗口内斜率 %.1f %%(允许 10 %%)。",
	  "%s:平均 %s;極差為其 %.1f %%(允許 20 %%),視窗內斜率 %.1f %%(允許 10 %%)。" },
	/* sweeps */
	{ "A line per figure and direction against the key that was swept.", "每个指标和方向一条线,横轴为所扫描的参数。",
	  "每個指標與方向一條線,橫軸為所掃描的參數。" },
	{ "A bar per value of the first key.", "第一个参数的每个取值一根柱。", "第一個參數的每個值一根長條。" },
	{ "A bar or dot per direction and value of the key.", "每个方向和参数取值一根柱或一个点。", "每個方向與參數值一根長條或一個點。" },
	{ "%s: highest at %s=%s with %s, lowest at %s=%s with %s.", "%s:在 %s=%s 处最高,为 %s;在 %s=%s 处最低,为 %s。",
	  "%s:在 %s=%s 處最高,為 %s;在 %s=%s 處最低,為 %s。" },
	{ "%s: mean latency is highest at %s=%s with %s, lowest at %s=%s with %s.",
	  "%s:平均延迟在 %s=%s 处最高,为 %s;在 %s=%s 处最低,为 %s。", "%s:平均延遲在 %s=%s 處最高,為 %s;在 %s=%s 處最低,為 %s。" },
	{ "A line per value of the first key.", "第一个参数的每个取值一条线。", "第一個參數的每個值一條線。" },
	{ "%s: highest at %s=%s with %s; 95 %% of that is reached at %s=%s.", "%s:在 %s=%s 处最高,为 %s;在 %s=%s 处达到其 95 %%。",
	  "%s:在 %s=%s 處最高,為 %s;在 %s=%s 處達到其 95 %%。" },
	{ "%s: mean latency goes from %s at %s=%s to %s at %s=%s.", "%s:平均延迟从 %s(%s=%s)变为 %s(%s=%s)。",
	  "%s:平均延遲從 %s(%s=%s)變為 %s(%s=%s)。" },
	{ "Most I/Os per second at %s: %s; most bytes at %s: %s.", "每秒 I/O 最多处 %s:%s;吞吐量最大处 %s:%s。",
	  "每秒 I/O 最多處 %s:%s;傳輸率最大處 %s:%s。" },
	/* readings */
	{ "A reading about once a second.", "约每秒一次读数。", "約每秒一次讀數。" },
	{ "From %.4g to %.4g, mean %.4g.", "从 %.4g 到 %.4g,平均 %.4g。", "從 %.4g 到 %.4g,平均 %.4g。" },
	{ "CPUs of the host", "主机的 CPU", "主機的 CPU" },
	{ "share of all CPUs", "占全部 CPU 的比例", "占全部 CPU 的比例" },
	{ "A line per kind of work, all CPUs together.", "每类工作一条线,全部 CPU 合计。", "每類工作一條線,全部 CPU 合計。" },
	{ "%s: mean %.3g %%, at most %.3g %%. ", "%s:平均 %.3g %%,最高 %.3g %%。 ", "%s:平均 %.3g %%,最高 %.3g %%。 " },
	{ "Every reading is in telemetry.csv.", "全部读数见 telemetry.csv。", "全部讀數見 telemetry.csv。" },
	/* the foot */
	{ "Made by ssdassay from the run file. Every figure of a chart is in its table or in the CSV export; the page loads "
	  "nothing from the network.",
	  "由 ssdassay 根据运行文件生成。图中的每个数字都在其表格或 CSV 导出中;本页不从网络加载任何内容。",
	  "由 ssdassay 根據執行檔案產生。圖中的每個數字都在其表格或 CSV 匯出中;本頁不從網路載入任何內容。" },
};

const struct phrase *phrase_at(uint32_t index)
{
	return index < sizeof(phrases) / sizeof(*phrases) ? &phrases[index] : NULL;
}

const char *say(struct page *page, const char *english)
{
	const struct phrase *phrase;

	if (page->language == REPORT_ENGLISH)
		return english;
	for (uint32_t i = 0; (phrase = phrase_at(i)); i++)
		if (strcmp(phrase->english, english) == 0)
			return page->language == REPORT_CHINESE_SIMPLIFIED ? phrase->simplified : phrase->traditional;
	return english;
}

int report_language_parse(const char *name, enum report_language *ret_language)
{
	static const char *const names[] = { "en", "zh-Hans", "zh-Hant" };

	for (int i = 0; i < 3; i++) {
		if (strcmp(name, names[i]) == 0) {
			*ret_language = (enum report_language)i;
			return 0;
		}
	}
	return -EINVAL;
}
